package tooltest

import (
	"context"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

type drink struct {
	Name string `json:"name" store:"search"`
	Cups int    `json:"cups"`
}

var drinks = tool.NewCollection[drink]("drinks")

type pour struct {
	Name string `json:"name"`
	Fail bool   `json:"fail,omitempty"`
}

func pouring(meanwhile func()) *tool.Set {
	set := tool.NewSet("Drinks", "drinks")
	tool.Add(set, tool.Spec[pour, int]{
		Name: "pour", Description: "Pour a cup and return how many there were.", Risk: tool.Low, Mutates: true, Transactional: true,
		Needs: tool.NeedStore, Timeout: 10 * time.Second,
		Run: func(ctx context.Context, call *tool.Call, args pour) (int, error) {
			found, err := drinks.Query(ctx, call.Store, tool.Query{Text: args.Name})
			if err != nil {
				return 0, err
			}
			meanwhile()
			cups := 1
			if len(found.List) == 0 {
				_, err = drinks.Insert(ctx, call.Store, drink{Name: args.Name, Cups: 1})
			} else {
				r := found.List[0]
				r.Value.Cups++
				cups = r.Value.Cups
				_, err = drinks.Update(ctx, call.Store, r)
			}
			if args.Fail {
				return 0, tool.Fail(tool.ExecutionError, "spilled")
			}
			return cups, err
		},
	})
	return set
}

// TestStoreCommits: what a call stores is there for the next one, unless the call fails,
// and for its person only.
func TestStoreCommits(t *testing.T) {
	s := NewStore(t)
	set := pouring(func() {})
	Run(t, set, "pour", tool.Call{Store: s, User: "ann"}, []Case{
		{Name: "first", Args: `{"name":"tea"}`, Want: `1`},
		{Name: "second", Args: `{"name":"tea"}`, Want: `2`},
		{Name: "failed", Args: `{"name":"tea","fail":true}`, Fails: tool.ExecutionError, Message: "spilled"},
		{Name: "third", Args: `{"name":"tea"}`, Want: `3`},
	})
	Run(t, set, "pour", tool.Call{Store: s, User: "bob"}, []Case{{Name: "of another person", Args: `{"name":"tea"}`, Want: `1`}})
}

// TestCheckReadsStore: what a tool looks up before its call is approved is the person's.
func TestCheckReadsStore(t *testing.T) {
	set := tool.NewSet("Drinks", "drinks")
	tool.Add(set, tool.Spec[pour, string]{
		Name: "drink", Description: "Return a drink that is there.", Risk: tool.Low, Mutates: true, Transactional: true, Needs: tool.NeedStore,
		Timeout: 10 * time.Second,
		Check: func(ctx context.Context, call *tool.Call, args pour) error {
			_, err := drinks.Get(ctx, call.Store, args.Name)
			return err
		},
		Run: func(_ context.Context, _ *tool.Call, args pour) (string, error) { return args.Name, nil },
	})
	s := NewStore(t)
	anns := s.For("default", "ann")
	r, err := drinks.Insert(t.Context(), anns, drink{Name: "tea"})
	if err != nil {
		t.Fatal(err)
	}
	if err := anns.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	args := `{"name":"` + r.ID + `"}`
	Run(t, set, "drink", tool.Call{Store: s, User: "ann"}, []Case{{Name: "hers", Args: args, Want: `"` + r.ID + `"`}})
	Run(t, set, "drink", tool.Call{Store: s, User: "bob"}, []Case{{Name: "another person's", Args: args, Fails: tool.NotFound}})
}

// TestStoreRunsAgain: a call whose data was changed meanwhile runs again, as on a worker.
func TestStoreRunsAgain(t *testing.T) {
	s := NewStore(t)
	if _, err := drinks.Insert(t.Context(), s, drink{Name: "tea", Cups: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	changed := false
	set := pouring(func() {
		if changed {
			return
		}
		changed = true
		found, err := drinks.Query(t.Context(), s, tool.Query{})
		if err != nil {
			t.Fatal(err)
		}
		found.List[0].Value.Cups = 10
		if _, err := drinks.Update(t.Context(), s, found.List[0]); err != nil {
			t.Fatal(err)
		}
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	Run(t, set, "pour", tool.Call{Store: s}, []Case{{Name: "again", Args: `{"name":"tea"}`, Want: `11`}})
}
