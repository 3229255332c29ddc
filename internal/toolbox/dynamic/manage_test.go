package dynamic

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/tool"
)

func TestLifeOfATool(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	call := caller()
	made, err := here.Create(t.Context(), call, sample("adder"))
	if err != nil || made.ID == "" || made.Version != 1 || !made.Enabled || made.CreatedBy != "u1" || made.CreatedAt.IsZero() ||
		len(made.Permissions) != 2 {
		t.Fatalf("Create = %+v, %v", made, err)
	}
	if here.get("acme", "u1", "adder") == nil {
		t.Error("who made it does not know it")
	}
	queuetest.Until(t, "both know of it", func() bool { return there.get("acme", "u1", "adder") != nil })
	if entry, err := there.Lookup("acme", "u1", "adder"); err != nil || entry.Tool.Version != "1" || entry.Tool.Kind != tool.KindDynamic {
		t.Errorf("Lookup = %+v, %v", entry, err)
	}
	if entry, err := there.Lookup("other", "u1", "adder"); entry != nil || err != nil {
		t.Errorf("another tenant finds %v, %v", entry, err)
	}
	if _, err := there.Get(t.Context(), &tool.Call{Tenant: "other", User: "u1"}, "adder"); err == nil {
		t.Error("another tenant reads it")
	}
	if got, err := there.Get(t.Context(), call, "adder"); err != nil || got.Code != "return args.n" {
		t.Errorf("Get = %+v, %v, want it with its code", got, err)
	}

	changed, err := there.Update(t.Context(), call, "adder", func(c *tool.CustomTool) error {
		c.Code, c.Name, c.ID, c.Version = "return 2", "subtracter", "mine", 70
		return nil
	})
	if err != nil || changed.Version != 2 || changed.Name != "adder" || changed.ID != made.ID || !changed.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("Update = %+v, %v: want version 2 of the same tool", changed, err)
	}
	queuetest.Until(t, "both know of it", func() bool {
		entry, err := here.Lookup("acme", "u1", "adder")
		return err == nil && entry.Tool.Version == "2"
	})
	if err := here.Delete(t.Context(), call, "adder"); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "both know of it", func() bool { return there.get("acme", "u1", "adder") == nil })
	for name, err := range map[string]error{
		"Delete":            here.Delete(t.Context(), call, "adder"),
		"Delete of no name": here.Delete(t.Context(), call, "a.>"),
	} {
		if err == nil || tool.AsError(err).Kind != tool.ToolNotFound {
			t.Errorf("%s again = %v, want tool_not_found", name, err)
		}
	}
}

// TestCreateAtOnce: of many concurrent creations of one name, one succeeds.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Go(func() {
			r := here
			if i%2 == 1 {
				r = there
			}
			_, errs[i] = r.Create(t.Context(), caller(), sample("adder"))
		})
	}
	all.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else {
			wantKind(t, err, tool.ValidationError)
		}
	}
	if made != 1 {
		t.Errorf("%d were told that they made it, want 1", made)
	}
}

// TestUpdateAtOnce: no change is lost.
func TestUpdateAtOnce(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	if _, err := here.Create(t.Context(), caller(), sample("adder")); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i, r := range []*Registry{here, there, here, there} {
		all.Go(func() {
			_, err := r.Update(t.Context(), caller(), "adder", func(c *tool.CustomTool) error {
				c.Description += fmt.Sprintf(" [%d]", i)
				return nil
			})
			if err != nil {
				t.Errorf("Update = %v", err)
			}
		})
	}
	all.Wait()
	got, err := here.Get(t.Context(), caller(), "adder")
	if err != nil || got.Version != 5 || strings.Count(got.Description, "[") != 4 {
		t.Errorf("Get = %+v, %v, want version 5 with all four changes", got, err)
	}
}

// TestOldNewsIsNoNews: a late notification of the bucket does not undo a stored change.
func TestOldNewsIsNoNews(t *testing.T) {
	r := New(Options{})
	old, now := sample("adder"), sample("adder")
	old.ID, old.Version = "a", 1
	now.ID, now.Version = "a", 2
	place := store.Own("acme", "u1", "adder")
	old.Owner, now.Owner = "u1", "u1"
	r.keep(place, &now)
	r.keep(place, &old)
	if got := r.get("acme", "u1", "adder").meta.Version; got != 2 {
		t.Errorf("version %d is known, want 2", got)
	}
	again := sample("adder") // deleted and created again
	again.ID, again.Version, again.Owner = "b", 1, "u1"
	r.keep(place, &again)
	if got := r.get("acme", "u1", "adder").meta; got.ID != "b" || got.Code != "" {
		t.Errorf("%+v is known, want the new one, without its code", got)
	}
}

func TestMaxTools(t *testing.T) {
	r := New(Options{Runner: &cell{}, Taken: func(string, string) bool { return false }})
	fill := func(user string, n int) {
		for i := range n {
			one := sample(fmt.Sprintf("tool_%d", i))
			one.Owner = user
			r.keep(store.Own("acme", user, one.Name), &one)
		}
	}
	fill("u1", MaxOwn)
	_, err := r.Create(t.Context(), caller(), sample("one_more"))
	wantKind(t, err, tool.ValidationError)
	if !strings.Contains(err.Error(), "you have as many") {
		t.Errorf("a person with too many tools is told %v", err)
	}
	for i := 1; i < MaxTools/MaxOwn; i++ {
		fill(fmt.Sprintf("more_%d", i), MaxOwn)
	}
	_, err = r.Create(t.Context(), by("new"), sample("one_more"))
	wantKind(t, err, tool.ValidationError)
	if list, err := r.List(t.Context(), caller()); err != nil || len(list) != MaxOwn || list[0].Name != "tool_0" || list[0].Code != "" {
		t.Errorf("List has %d, %v", len(list), err)
	}
}

// TestMaxOwnAtOnce: of many tools that one person makes concurrently no more than fit are
// kept, and other people can still create theirs.
func TestMaxOwnAtOnce(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	bucket, err := q.Conn.Bucket(t.Context(), streams.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	for n := range MaxOwn - 10 {
		one := sample(fmt.Sprintf("tool_%d", n))
		one.ID, one.Version = "ct", 1
		value, err := encode(&one)
		if err != nil {
			t.Fatal(err)
		}
		if err := bucket.Create(t.Context(), store.Own("acme", "u1", one.Name).Key(), value); err != nil {
			t.Fatal(err)
		}
	}
	here, _ := open(t, q)
	there, _ := open(t, queuetest.Connect(t, srv))
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			_, _ = []*Registry{here, there}[i%2].Create(t.Context(), caller(), sample(fmt.Sprintf("late_%d", i)))
		})
	}
	all.Wait()
	stored := 0
	if err := bucket.LoadBelow(t.Context(), "acme.own.u1", func(string, []byte) { stored++ }); err != nil {
		t.Fatal(err)
	}
	if stored > MaxOwn {
		t.Errorf("one person has %d tools, want at most %d", stored, MaxOwn)
	}
	if _, err := here.Create(t.Context(), by("u9"), sample("adder")); err != nil {
		t.Errorf("another person makes a tool: %v", err)
	}
}

// TestMaxToolsAtOnce: of many concurrent creations with room for a few, no more than fit
// are kept, in whatever order notifications arrive.
func TestMaxToolsAtOnce(t *testing.T) {
	t.Parallel()
	srv := queuetest.Server(t)
	q := queuetest.Connect(t, srv)
	bucket, err := q.Conn.Bucket(t.Context(), streams.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	var fill sync.WaitGroup
	for i := range 10 {
		fill.Go(func() {
			for n := range (MaxTools - 10) / 10 {
				one := sample(fmt.Sprintf("tool_%d_%d", i, n))
				one.ID, one.Version = "ct", 1
				if value, err := encode(&one); err != nil ||
					bucket.Create(t.Context(), store.Own("acme", "other_"+strconv.Itoa(i), one.Name).Key(), value) != nil {
					t.Errorf("%s was not stored", one.Name)
				}
			}
		})
	}
	fill.Wait()
	here, _ := open(t, q)
	there, _ := open(t, queuetest.Connect(t, srv))
	var all sync.WaitGroup
	var made, unknown atomic.Int64 // unknown: NATS did not answer in time
	for i := range 40 {
		all.Go(func() {
			r := []*Registry{here, there}[i%2]
			switch _, err := r.Create(t.Context(), caller(), sample(fmt.Sprintf("late_%d", i))); {
			case err == nil:
				made.Add(1)
			case !strings.Contains(err.Error(), strconv.Itoa(MaxTools)):
				unknown.Add(1)
			}
		})
	}
	all.Wait()
	stored := 0
	if err := bucket.LoadBelow(t.Context(), "acme", func(string, []byte) { stored++ }); err != nil {
		t.Fatal(err)
	}
	least := MaxTools - 10 + int(made.Load())
	if stored > MaxTools || stored < least || stored > least+int(unknown.Load()) {
		t.Errorf("%d tools are stored, of late ones %d were made and of %d it is not known; want at most %d",
			stored, made.Load(), unknown.Load(), MaxTools)
	}
}
