package personaldata

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/helve-dev/helve/internal/backend/store"
	"github.com/helve-dev/helve/tool"
)

func listed(list ...*store.Item) Items {
	return func(each func(*store.Item) error) error {
		for _, item := range list {
			if err := each(item); err != nil {
				return err
			}
		}
		return nil
	}
}

// item returns an item of a collection.
func item(collection, id, doc string, search ...string) *store.Item {
	at := time.Date(2026, 11, 23, 9, 0, 0, 1000, time.UTC)
	return &store.Item{Collection: collection, Search: search, Row: tool.Row{ID: id, CreatedAt: at, UpdatedAt: at.Add(time.Hour), Doc: json.RawMessage(doc)}}
}

// sameDoc compares documents by their values, every digit included.
var sameDoc = cmp.Transformer("doc", func(doc json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err.Error()
	}
	return v
})

// written returns items in a format.
func written(t *testing.T, name string, list ...*store.Item) string {
	t.Helper()
	var b strings.Builder
	if err := Write(name, &b, listed(list...)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readBack returns the items of a file.
func readBack(t *testing.T, name, text string) (list []*store.Item) {
	t.Helper()
	err := Read(name, strings.NewReader(text), func(item *store.Item) error {
		list = append(list, item)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v in\n%s", name, err, text)
	}
	return list
}

// TestThereAndBack: formats that hold everything lose nothing.
func TestThereAndBack(t *testing.T) {
	list := []*store.Item{
		item("notes", "a1", `{"body":"=1+1\n\"x\", 'y'","tags":["a"],"title":"'quoted"}`, "body", "title"),
		item("notes", "a2", `{"n":-1.50,"pinned":true,"title":"@you"}`),
		item("tasks", "a3", `{"done":null,"due":"2026-11-24T00:00:00.000000000Z","note":"","odd":"a\r\nb"}`, "note"),
		item("tasks", "a4", `{}`),
		item("tasks", "a5", `{"n":"5","title":"🎉 <b>"}`),
	}
	for _, name := range []string{"jsonl", "csv"} {
		text := written(t, name, list...)
		if diff := cmp.Diff(list, readBack(t, name, text), sameDoc, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s has changed the items: %s\n%s", name, diff, text)
		}
	}
}

// TestFormulas: a spreadsheet runs nothing that a person has stored.
func TestFormulas(t *testing.T) {
	text := written(t, "csv", item("notes", "a1", `{"a":"=cmd()","b":-5}`))
	if !strings.HasSuffix(text, ",'=cmd(),'-5\n") {
		t.Errorf("the cells are %s", text)
	}
}

// TestUnreadable: a file that is none of the format ends with its line and what is wanted.
func TestUnreadable(t *testing.T) {
	for _, tt := range []struct{ format, text, want string }{
		{"jsonl", "\n{\"collection\": 1}\n", "line 2 is not an item"},
		{"jsonl", strings.Repeat("x", maxLine+1), "too long"},
		{"csv", "", "the first row must begin with _collection"},
		{"csv", "a,b\n", "the first row must begin with _collection"},
		{"csv", "_collection,_id,_created_at,_updated_at,_search,t\nnotes,a,yesterday,,,x\n", "line 2: "},
		{"csv", "_collection,_id,_created_at,_updated_at,_search,t:json\nnotes,a,,,,x\n", "line 2: "},
		{"csv", "_collection,_id,_created_at,_updated_at,_search,t\nnotes,a\n", "line 2"},
		{"xml", "", "use csv, "},
	} {
		err := Read(tt.format, strings.NewReader(tt.text), func(*store.Item) error { return nil })
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s of %.40q = %v, want %q", tt.format, tt.text, err, tt.want)
		}
	}
}

// TestErrorsOfItems: an error of the source, or of the receiver, ends the work.
func TestErrorsOfItems(t *testing.T) {
	broken := errors.New("broken")
	for _, name := range Formats() {
		if err := Write(name, &strings.Builder{}, func(func(*store.Item) error) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("Write as %s = %v", name, err)
		}
		if MediaType(name) == "" {
			t.Errorf("%s has no media type", name)
		}
	}
	text := written(t, "jsonl", item("notes", "a1", `{}`))
	if err := Read("jsonl", strings.NewReader(text), func(*store.Item) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("Read = %v", err)
	}
}
