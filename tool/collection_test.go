package tool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestCollectionTags(t *testing.T) {
	t.Parallel()
	shape := tool.NewCollection[struct {
		Name  string   `json:"name" store:"search,index"`
		Email string   `json:"email" store:"unique"`
		Tags  []string `json:"tags" store:"search"`
		Rank  int      `json:"rank" store:"index"`
	}]("people").Shape()
	want := &tool.Shape{
		Name: "people", Search: []string{"name", "tags"}, Index: []string{"name", "rank"}, Unique: []string{"email"},
		Fields: map[string]tool.FieldKind{"name": tool.KindText, "email": tool.KindText, "tags": tool.KindList, "rank": tool.KindNumber},
	}
	if diff := cmp.Diff(want, shape); diff != "" {
		t.Errorf("Shape (-want +got):\n%s", diff)
	}
	for want, declare := range map[string]func(){
		"store:\"index\" must be": func() {
			tool.NewCollection[struct {
				A []string `json:"a" store:"index"`
			}]("x")
		},
		"store:\"search\" must be": func() {
			tool.NewCollection[struct {
				A int `json:"a" store:"search"`
			}]("x")
		},
		"store:\"find\" must be": func() {
			tool.NewCollection[struct {
				A string `json:"a" store:"find"`
			}]("x")
		},
		"at most 8 fields may be indexed, 4 of them unique": func() {
			tool.NewCollection[struct {
				A int `json:"a" store:"unique"`
				B int `json:"b" store:"unique"`
				C int `json:"c" store:"unique"`
				D int `json:"d" store:"unique"`
				E int `json:"e" store:"unique"`
			}]("x")
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("NewCollection panics with %q, want %q", got, want)
				}
			}()
			declare()
		}()
	}
}
