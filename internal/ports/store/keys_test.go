package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// contact has one field of each kind that can be indexed.
type contact struct {
	Email string  `json:"email" store:"unique,search"`
	Code  int     `json:"code,omitempty" store:"unique"`
	Name  string  `json:"name" store:"index"`
	Score float64 `json:"score" store:"index"`
	Done  bool    `json:"done" store:"index"`
	Note  string  `json:"note"`
}

var (
	contacts = tool.NewCollection[contact]("contacts")
	// unindexed is the same collection without indexes.
	unindexed = &tool.Shape{Name: "contacts", Search: []string{"email"}, Fields: contacts.Shape().Fields}
)

// add stores contacts in a call of ann.
func add(t testing.TB, s *Store, shape *tool.Shape, id string, list ...contact) {
	t.Helper()
	call(t, s, id, func(u *Unit) {
		for _, c := range list {
			doc, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := u.Insert(t.Context(), shape, doc); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// people returns contacts whose values sort in ways that differ between kinds.
func people() []contact {
	long := strings.Repeat("é", 150)
	var list []contact
	for i, name := range []string{"", "a", "A", "b", long, long + "a", long + "b", "日本", "é", "z~", "10", "9", "with space", "it's"} {
		for j, score := range []float64{0, 1, -1, 10, 9, -10, -9, 0.5, -0.5, 0.05, 1e20, -1e20, 123.25, 123.5} {
			list = append(list, contact{Email: fmt.Sprint(i, "-", j, "@example.com"), Name: name, Score: score, Done: (i+j)%2 == 0})
		}
	}
	return list
}

// TestIndexed: queries find the same with indexes as without, in the same order, page by
// page.
func TestIndexed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		all := people()
		add(t, s, unindexed, "c1", all[:100]...) // before the fields were indexed
		add(t, s, contacts.Shape(), "c2", all[100:]...)
		ids := func(shape *tool.Shape, q tool.Query) (list []string) {
			t.Helper()
			for u := s.For("acme", "ann", "", 1); ; {
				page, err := u.Query(t.Context(), shape, q)
				if err != nil {
					t.Fatalf("%+v: %v", q, err)
				}
				for _, row := range page.Rows {
					list = append(list, row.ID)
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					return list
				}
			}
		}
		same := func(q tool.Query) {
			t.Helper()
			want := ids(unindexed, q)
			slices.Sort(want)
			got := ids(contacts.Shape(), q)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%+v finds %d with indexes and %d without", q, len(got), len(want))
			}
		}
		long := strings.Repeat("é", 150)
		for _, op := range []tool.Op{tool.Equal, tool.NotEqual, tool.Less, tool.LessEqual, tool.Greater, tool.GreaterEqual} {
			for _, name := range []string{"", "a", "A", long, long + "a", "é", "10"} {
				same(tool.Query{Where: []tool.Condition{tool.Where("name", op, name)}, Limit: 7})
			}
			for _, score := range []any{0, 1, -1, 9.5, -9.5, tool.Number("1e20"), tool.Number("-100e18"), 1e300, 0.05, 123.25} {
				same(tool.Query{Where: []tool.Condition{tool.Where("score", op, score)}, Limit: 50})
			}
		}
		same(tool.Query{Where: []tool.Condition{tool.Where("done", tool.Equal, true), tool.Where("name", tool.In, []string{"a", long + "a"})}})
		same(tool.Query{Where: []tool.Condition{tool.Where("score", tool.In, []float64{0, -0.5, 10})}, Text: "1"})
		byScore := func(down bool) []tool.Order { return []tool.Order{{Field: "score", Down: down}} }
		for _, down := range []bool{false, true} {
			var scores []float64
			for _, id := range ids(contacts.Shape(), tool.Query{Order: byScore(down), Limit: 9}) {
				r, err := contacts.Get(t.Context(), s.For("acme", "ann", "", 1), id)
				if err != nil {
					t.Fatal(err)
				}
				scores = append(scores, r.Value.Score)
			}
			if down {
				slices.Reverse(scores)
			}
			if len(scores) != len(all) || !slices.IsSorted(scores) {
				t.Errorf("down %t: %v", down, scores)
			}
		}
	})
}

// TestUnique: of documents of a person with the same unique value one is stored.
func TestUnique(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		shape := contacts.Shape()
		add(t, s, shape, "c1", contact{Email: "a@x"}, contact{Email: ""}, contact{Email: "", Code: 7}, contact{Email: strings.Repeat("l", 300)})
		as(t, s, "bob", "c2", func(u *Unit) {
			if _, err := contacts.Insert(t.Context(), u, contact{Email: "a@x", Code: 7}); err != nil {
				t.Fatal(err)
			}
		})
		refused := func(want string, change func(u *Unit)) {
			t.Helper()
			u := s.For("acme", "ann", "refused", 1)
			change(u)
			_, err := u.Commit(t.Context(), tool.Result{})
			wantKind(t, err, tool.ValidationError, want)
			if stored, err := s.Stored(t.Context(), "acme", "ann", "refused"); stored != nil || err != nil {
				t.Errorf("Stored = %v, %v, want none", stored, err)
			}
		}
		put := func(u *Unit, list ...contact) {
			for _, c := range list {
				if _, err := contacts.Insert(t.Context(), u, c); err != nil {
					t.Error(err)
				}
			}
		}
		find := func(u *Unit, email string) tool.Record[contact] {
			t.Helper()
			page, err := contacts.Query(t.Context(), u, tool.Query{Where: []tool.Condition{tool.Where("email", tool.Equal, email)}})
			if err != nil || len(page.List) != 1 {
				t.Fatalf("%s: %d found, %v", email, len(page.List), err)
			}
			return page.List[0]
		}
		refused(`email must be unique, and another item has "a@x" already`, func(u *Unit) { put(u, contact{Email: "a@x"}) })
		refused("code must be unique, and another item has 7 already", func(u *Unit) { put(u, contact{Email: "new", Code: 7}) })
		refused("email must be unique", func(u *Unit) { put(u, contact{Email: "twice"}, contact{Email: "twice"}) })
		refused("email must be unique", func(u *Unit) { put(u, contact{Email: strings.Repeat("l", 300)}) })
		refused("email must be unique", func(u *Unit) {
			r := find(u, strings.Repeat("l", 300))
			r.Value.Email = "a@x"
			if _, err := contacts.Update(t.Context(), u, r); err != nil {
				t.Error(err)
			}
		})
		call(t, s, "c3", func(u *Unit) { // a value that the same call frees is free
			put(u, contact{Email: "a@x"}, contact{Email: strings.Repeat("l", 300) + "m"})
			if err := contacts.Delete(t.Context(), u, find(u, "a@x")); err != nil {
				t.Error(err)
			}
		})
		call(t, s, "c4", func(u *Unit) { // an update that leaves the value
			r := find(u, "a@x")
			r.Value.Note = "changed"
			if _, err := contacts.Update(t.Context(), u, r); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestNewUnique: documents that violate a field made unique later are kept, and later
// ones are refused.
func TestNewUnique(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		s := open(t, where)
		add(t, s, unindexed, "c1", contact{Email: "a", Code: 1}, contact{Email: "a", Code: 1}, contact{Email: "b"})
		u := s.For("acme", "ann", "c2", 1)
		groups, err := contacts.Aggregate(t.Context(), u, tool.AggregateQuery{Where: []tool.Condition{tool.Where("email", tool.Equal, "a")}})
		if err != nil || groups[0].Count != 2 {
			t.Fatalf("Aggregate = %+v, %v, want 2", groups, err)
		}
		if _, err := contacts.Insert(t.Context(), u, contact{Email: "a"}); err != nil {
			t.Fatal(err)
		}
		_, err = u.Commit(t.Context(), tool.Result{})
		wantKind(t, err, tool.ValidationError, "email must be unique")
	})
}

// TestStoredWithoutShape: documents that another process stores without the shape of their
// collection are found by indexed fields a second later.
func TestStoredWithoutShape(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, where Options) {
		now := time.Now()
		where.Now = func() time.Time { return now }
		s := open(t, where)
		found := func() int {
			t.Helper()
			page, err := contacts.Query(t.Context(), s.For("acme", "ann", "", 1), tool.Query{
				Where: []tool.Condition{tool.Where("name", tool.Equal, "ann")},
			})
			if err != nil {
				t.Fatal(err)
			}
			return len(page.List)
		}
		add(t, s, contacts.Shape(), "c1", contact{Email: "a", Name: "ann"})
		if n := found(); n != 1 {
			t.Fatalf("%d found, want 1", n)
		}
		add(t, open(t, where), &tool.Shape{Name: "contacts"}, "c2", contact{Email: "b", Name: "ann"})
		now = now.Add(2 * importedFor)
		if n := found(); n != 2 {
			t.Errorf("%d found, want 2", n)
		}
	})
}

// TestShapesRefused: indexes that cannot be are the tool's error, not the database's.
func TestShapesRefused(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Dir: t.TempDir()})
	fields := map[string]tool.FieldKind{"a": tool.KindText, "l": tool.KindList, "o": tool.KindOther, "x y": tool.KindText}
	many := make([]string, tool.MaxIndexed+1)
	for i := range many {
		many[i] = fmt.Sprint("f", i)
		fields[many[i]] = tool.KindText
	}
	for _, shape := range []tool.Shape{
		{Index: []string{"b"}}, {Index: []string{"l"}}, {Unique: []string{"o"}}, {Index: []string{"x y"}},
		{Index: []string{"a"}, Unique: []string{"a"}},
		{Index: many}, {Unique: many[:tool.MaxUnique+1]},
	} {
		shape.Name, shape.Fields = "shapes", fields
		_, err := s.For("acme", "ann", "", 1).Query(t.Context(), &shape, tool.Query{})
		wantKind(t, err, tool.Internal, "index")
	}
}

func TestNumberKey(t *testing.T) {
	t.Parallel()
	sorted := []string{
		"-1e9999999", "-1e400", "-123456789012345678901234567890.5", "-123456789012345678901234567890.4", "-100", "-10", "-9.5", "-9", "-1",
		"-0.5", "-0.05", "-1e-400", "0", "1e-400", "0.05", "0.5", "1", "1.5", "9", "9.5", "10", "10.01", "100",
		"123456789012345678901234567890.4", "123456789012345678901234567890.5", "1e400", "1e9999999",
	}
	for i := range sorted[1:] {
		if a, b := numberKey(sorted[i]), numberKey(sorted[i+1]); a >= b {
			t.Errorf("%s has the key %s, which is not before %s of %s", sorted[i], a, b, sorted[i+1])
		}
	}
	for _, equal := range [][2]string{
		{"0", "-0.0e5"}, {"10", "1e1"}, {"10", "1.0E+1"}, {"0.5", "5e-1"}, {"-120", "-1.20e2"}, {"100", "0.001e5"},
	} {
		if a, b := numberKey(equal[0]), numberKey(equal[1]); a != b {
			t.Errorf("%s and %s have the keys %s and %s", equal[0], equal[1], a, b)
		}
	}
}
