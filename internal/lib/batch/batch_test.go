package batch

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/helve-dev/helve/tool"
)

func TestCreate(t *testing.T) {
	odd := func(i int) error {
		if i%2 == 1 {
			return tool.Fail(tool.ValidationError, "%d is odd", i)
		}
		return nil
	}
	made := 0
	create := func(i int) (string, error) { made++; return fmt.Sprint("id", i), nil }

	_, err := Create(3, true, odd, create)
	if e := tool.AsError(err); e == nil || e.Kind != tool.ValidationError ||
		!strings.HasPrefix(e.Msg, "item 1 (counted from 0): 1 is odd; nothing was created") || made != 0 {
		t.Errorf("all or none: %v, %d made, want a validation_error and none", err, made)
	}
	got, err := Create(3, false, odd, create)
	want := []Outcome{
		{Status: "success", ID: "id0"}, {Status: "error", ErrorType: "validation_error", Message: "item 1 (counted from 0): 1 is odd"},
		{Status: "success", ID: "id2"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || made != 2 {
		t.Errorf("each by itself: %v, %d made (-want +got):\n%s", err, made, diff)
	}
	full := func(int) (string, error) { return "", tool.Fail(tool.ValidationError, "NUL") }
	if _, err := Create(2, true, func(int) error { return nil }, full); err == nil || tool.AsError(err).Kind != tool.ValidationError {
		t.Errorf("error %v, want that of the item", err)
	}
	if got, err := Create(2, false, odd, full); err != nil || got[0].Message != "item 0 (counted from 0): NUL" ||
		got[1].Message != "item 1 (counted from 0): 1 is odd" {
		t.Errorf("outcomes %+v, %v", got, err)
	}
	away := errors.New("away")
	if _, err := Create(1, false, func(int) error { return nil }, func(int) (string, error) { return "", away }); !errors.Is(err, away) {
		t.Errorf("error %v, want %v", err, away)
	}
	for _, n := range []int{0, MaxItems + 1} {
		if _, err := Create(n, false, odd, create); tool.AsError(err) == nil {
			t.Errorf("%d items are accepted", n)
		}
	}
}

func TestDecode(t *testing.T) {
	type form struct {
		A    int      `json:"a"`
		Tags []string `json:"tags"`
		In   struct {
			Done bool `json:"done"`
		} `json:"in"`
		Price *tool.Number `json:"price"`
	}
	var v form
	if err := Decode([]byte(`{"a":1,"price":"1.5"}`), &v); err != nil || v.A != 1 {
		t.Errorf("Decode = %v, %v", v, err)
	}
	for text, want := range map[string]string{
		`{"a":"x"}`:           "a: expected integer, got string",
		`{"a":1.5}`:           "a: expected integer, got number",
		`{"tags":"x"}`:        "tags: expected array, got string",
		`{"tags":[true]}`:     "tags: expected string, got boolean",
		`{"in":{"done":[1]}}`: "in.done: expected boolean, got array",
		`{"in":5}`:            "in: expected object, got number",
		`{"a":1,"price":[]}`:  "price: expected number, got array",
		`{"price":"x"}`:       "price: expected another value than string",
		`"x"`:                 "expected object, got string",
		`[1]`:                 "expected object, got array",
	} {
		e := tool.AsError(Decode([]byte(text), new(form)))
		if e == nil || e.Kind != tool.ValidationError || e.Msg != want {
			t.Errorf("%s: %v, want %q", text, e, want)
		}
	}
}
