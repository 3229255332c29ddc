package dynamic

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/bus/bustest"
	"github.com/helve-dev/helve/tool"
)

func TestLifeOfATool(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	call := caller()
	made, err := here.Create(t.Context(), call, sample("adder"))
	if err != nil || made.ID == "" || made.Version != 1 || !made.Enabled || made.CreatedBy != "u1" || made.CreatedAt.IsZero() || len(made.Permissions) != 2 {
		t.Fatalf("Create = %+v, %v", made, err)
	}
	if !here.has("acme", "adder") {
		t.Error("who made it does not know it")
	}
	bustest.Until(t, "both know of it", func() bool { return there.has("acme", "adder") })
	if entry, err := there.Lookup("acme", "adder"); err != nil || entry.Tool.Version != "1" || entry.Tool.Kind != tool.KindDynamic {
		t.Errorf("Lookup = %+v, %v", entry, err)
	}
	if entry, err := there.Lookup("other", "adder"); entry != nil || err != nil {
		t.Errorf("another tenant finds %v, %v", entry, err)
	}
	if _, err := there.Get(t.Context(), &tool.Call{Tenant: "other"}, "adder"); err == nil {
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
	bustest.Until(t, "both know of it", func() bool {
		entry, err := here.Lookup("acme", "adder")
		return err == nil && entry.Tool.Version == "2"
	})
	if err := here.Delete(t.Context(), call, "adder"); err != nil {
		t.Fatal(err)
	}
	bustest.Until(t, "both know of it", func() bool { return !there.has("acme", "adder") })
	for name, err := range map[string]error{
		"Delete":            here.Delete(t.Context(), call, "adder"),
		"Delete of no name": here.Delete(t.Context(), call, "a.>"),
	} {
		if err == nil || tool.AsError(err).Kind != tool.ToolNotFound {
			t.Errorf("%s again = %v, want tool_not_found", name, err)
		}
	}
}

// TestCreateAtOnce: of many who make a tool of one name, one does.
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

// TestOldNewsIsNoNews: what the bucket tells late does not undo what is stored.
func TestOldNewsIsNoNews(t *testing.T) {
	r := New(Options{})
	old, now := sample("adder"), sample("adder")
	old.ID, old.Version = "a", 1
	now.ID, now.Version = "a", 2
	r.keep("acme", &now)
	r.keep("acme", &old)
	if got := r.get("acme", "adder").meta.Version; got != 2 {
		t.Errorf("version %d is known, want 2", got)
	}
	again := sample("adder") // deleted and made anew
	again.ID, again.Version = "b", 1
	r.keep("acme", &again)
	if got := r.get("acme", "adder").meta; got.ID != "b" || got.Code != "" {
		t.Errorf("%+v is known, want the new one, without its code", got)
	}
}

func TestMaxTools(t *testing.T) {
	r := New(Options{Cage: &cell{}, Taken: func(string, string) bool { return false }})
	for i := range MaxTools {
		one := sample(fmt.Sprintf("tool_%d", i))
		r.keep("acme", &one)
	}
	_, err := r.Create(t.Context(), caller(), sample("one_more"))
	wantKind(t, err, tool.ValidationError)
	if list, err := r.List(t.Context(), caller()); err != nil || len(list) != MaxTools || list[0].Name != "tool_0" || list[0].Code != "" {
		t.Errorf("List has %d, %v", len(list), err)
	}
}

// TestMaxToolsAtOnce: of many who make tools where there is room for a few, no more
// than fit are kept, whoever was told what.
func TestMaxToolsAtOnce(t *testing.T) {
	t.Parallel()
	srv := bustest.Server(t)
	b := bustest.Connect(t, srv)
	bucket, err := b.Bucket(t.Context(), bus.BucketCustom)
	if err != nil {
		t.Fatal(err)
	}
	var fill sync.WaitGroup
	for i := range 10 {
		fill.Go(func() {
			for n := range (MaxTools - 10) / 10 {
				one := sample(fmt.Sprintf("tool_%d_%d", i, n))
				one.ID, one.Version = "ct", 1
				if value, err := encode(&one); err != nil || bucket.Create(t.Context(), key("acme", one.Name), value) != nil {
					t.Errorf("%s was not stored", one.Name)
				}
			}
		})
	}
	fill.Wait()
	here, _ := open(t, b)
	there, _ := open(t, bustest.Connect(t, srv))
	var all sync.WaitGroup
	var made atomic.Int64
	for i := range 40 {
		all.Go(func() {
			r := []*Registry{here, there}[i%2]
			if _, err := r.Create(t.Context(), caller(), sample(fmt.Sprintf("late_%d", i))); err == nil {
				made.Add(1)
			}
		})
	}
	all.Wait()
	stored := 0
	if err := bucket.LoadBelow(t.Context(), "acme", func(string, []byte) { stored++ }); err != nil {
		t.Fatal(err)
	}
	if stored > MaxTools || stored != MaxTools-10+int(made.Load()) {
		t.Errorf("%d tools are stored, %d of them late ones that were made; want at most %d", stored, made.Load(), MaxTools)
	}
}
