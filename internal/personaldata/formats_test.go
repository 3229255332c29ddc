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

	"github.com/helve-dev/helve/internal/ports/store"
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
	return &store.Item{
		Collection: collection,
		Search:     search,
		Row:        tool.Row{ID: id, CreatedAt: at, UpdatedAt: at.Add(time.Hour), Doc: json.RawMessage(doc)},
	}
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
	list, problems := readAll(t, name, text)
	if len(problems) > 0 {
		t.Fatalf("%s: %+v in\n%s", name, problems, text)
	}
	return list
}

// readAll returns the items of a file, and its problems. An error of the file is the last of
// them.
func readAll(t *testing.T, name, text string) (list []*store.Item, problems []Problem) {
	t.Helper()
	err := Read(name, strings.NewReader(text), func(item *store.Item) error {
		list = append(list, item)
		return nil
	}, func(p Problem) { problems = append(problems, p) })
	if err != nil {
		problems = append(problems, Problem{Reason: err.Error()})
	}
	return list, problems
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
		if name == "csv" { // which holds the expenses
			for _, it := range list {
				it.Collection = expenses
			}
		}
		text := written(t, name, list...)
		if diff := cmp.Diff(list, readBack(t, name, text), sameDoc, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s has changed the items: %s\n%s", name, diff, text)
		}
	}
}

// TestRowsOfOneKind: a table has rows of one kind, and no columns of others.
func TestRowsOfOneKind(t *testing.T) {
	text := written(t, "csv", item("notes", "a1", `{"title":"x"}`), item(expenses, "a2", `{"amount":"5"}`), item("tasks", "a3", `{"due":"x"}`))
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) != 2 || !strings.HasSuffix(lines[0], "_search,amount") ||
		!strings.HasPrefix(lines[1], "expenses,a2,") {
		t.Errorf("the table is\n%s", text)
	}
}

// TestFormulas: a spreadsheet runs nothing that a person has stored.
func TestFormulas(t *testing.T) {
	text := written(t, "csv", item(expenses, "a1", `{"a":"=cmd()","b":-5}`))
	if !strings.HasSuffix(text, ",'=cmd(),'-5\n") {
		t.Errorf("the cells are %s", text)
	}
}

// TestUnreadable: what cannot be read is listed with its line and what is wanted; the good
// items beside it are read.
func TestUnreadable(t *testing.T) {
	const csvHead = "_collection,_id,_created_at,_updated_at,_search,t"
	for _, tt := range []struct {
		format, text string
		line, items  int
		want         string
	}{
		{"jsonl", "\n{\"collection\": 1}\n{\"collection\":\"notes\",\"id\":\"a\",\"doc\":{}}\n", 2, 1, "not an item like"},
		{"jsonl", "\ufeff{\"collection\":\"notes\",\"id\":\"a/b\",\"doc\":{}}\n", 1, 0, "is not an id"},
		{"jsonl", strings.Repeat("x", maxLine+1), 0, 0, "too long"},
		{"csv", "", 0, 0, "the first row must begin with _collection"},
		{"csv", "a,b\n", 0, 0, "the first row must begin with _collection"},
		{"csv", csvHead + "\nnotes,a,yesterday,,,x\nnotes,b,,,,x\n", 2, 1, "yesterday"},
		{"csv", "\ufeff" + csvHead + ":json\nnotes,a,,,,x\nnotes,b,,,,1\n", 2, 1, "invalid"},
		{"csv", csvHead + "\nnotes,a\nnotes,b,,,,x\n", 2, 1, "wrong number of fields"},
		{"csv", csvHead + "\nno/tes,a,,,,x\nnotes,b,,,,x\n", 2, 1, "is not the name of a collection"},
		{"xml", "", 0, 0, "use csv, "},
	} {
		items, problems := readAll(t, tt.format, tt.text)
		if len(items) != tt.items || len(problems) != 1 || problems[0].Line != tt.line || !strings.Contains(problems[0].Reason, tt.want) {
			t.Errorf("%s of %.60q has %d items and %+v, want %d, line %d and %q",
				tt.format, tt.text, len(items), problems, tt.items, tt.line, tt.want)
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
	if err := Read("jsonl", strings.NewReader(text), func(*store.Item) error { return broken }, func(Problem) {}); !errors.Is(err, broken) {
		t.Errorf("Read = %v", err)
	}
}
