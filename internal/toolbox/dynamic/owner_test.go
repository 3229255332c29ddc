package dynamic

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/toolbox/dynamic/permission"
	"github.com/helve-dev/helve/tool"
)

func by(user string) *tool.Call { return &tool.Call{ID: "c1", Tenant: "acme", User: user} }

func about(t *tool.CustomTool) string {
	return identity(&tool.CustomTool{ID: t.ID, Version: t.Version})
}

func sees(r *Registry, user string) []string {
	var names []string
	for _, l := range r.seen("acme", user) {
		names = append(names, l.meta.Owner+"/"+l.meta.Name)
	}
	return names
}

// TestOwner: a tool exists only for the person who made it, and two persons may each have a
// tool of one name.
func TestOwner(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	ann, err := here.Create(t.Context(), by("ann"), sample("adder"))
	if err != nil || ann.Owner != "ann" {
		t.Fatalf("Create = %+v, %v", ann, err)
	}
	queuetest.Until(t, "both know of it", func() bool { return there.get("acme", "ann", "adder") != nil })
	for _, user := range []string{"bob", ""} {
		if entry, err := there.Lookup("acme", user, "adder"); entry != nil || err != nil {
			t.Errorf("%q finds %v, %v", user, entry, err)
		}
		if len(there.Definitions("acme", user)) != 0 || there.Permissions("acme", user, "adder") != nil || len(sees(there, user)) != 0 {
			t.Errorf("%q sees it in a list", user)
		}
		if _, err := there.Get(t.Context(), by(user), "adder"); tool.AsError(err).Kind != tool.ToolNotFound {
			t.Errorf("%q reads it: %v", user, err)
		}
		for what, err := range map[string]error{
			"Update": change(t, there, by(user), "return 'evil'"), "Delete": there.Delete(t.Context(), by(user), "adder"),
		} {
			if kind := tool.AsError(err).Kind; err == nil || kind != tool.ToolNotFound && user != "" {
				t.Errorf("%s by %q = %v", what, user, err)
			}
		}
	}
	other := sample("adder")
	other.Code = "return 'bob'"
	if _, err := there.Create(t.Context(), by("bob"), other); err != nil {
		t.Fatalf("bob cannot have a tool of the name: %v", err)
	}
	if got, err := here.Get(t.Context(), by("ann"), "adder"); err != nil || got.Code != "return args.n" {
		t.Errorf("ann's tool is %+v, %v", got, err)
	}
	if got, err := here.Get(t.Context(), by("bob"), "adder"); err != nil || got.Code != "return 'bob'" {
		t.Errorf("bob's tool is %+v, %v", got, err)
	}
	_, err = here.Create(t.Context(), by(""), sample("nobodys"))
	wantKind(t, err, tool.ValidationError)
}

func change(t *testing.T, r *Registry, call *tool.Call, code string) error {
	t.Helper()
	_, err := r.Update(t.Context(), call, "adder", func(c *tool.CustomTool) error {
		c.Code = code
		return nil
	})
	return err
}

// TestShare: all users have the version that was shared, whatever its owner does later,
// until another version is shared or the tool is deleted.
func TestShare(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	made, err := here.Create(t.Context(), by("ann"), sample("adder"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := here.Share(t.Context(), by("ann"), "adder", about(&made)); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "it is shared", func() bool { return there.get("acme", "bob", "adder") != nil })
	second, err := here.Update(t.Context(), by("ann"), "adder", func(c *tool.CustomTool) error { c.Code = "return 2"; return nil })
	if err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "ann's second version is known", func() bool { return there.get("acme", "ann", "adder").meta.Version == 2 })
	for _, user := range []string{"bob", ""} {
		entry, err := there.Lookup("acme", user, "adder")
		if err != nil || entry.Tool.Version != "1" || entry.Tool.Identity != made.ID+"-1@1" ||
			!slices.Equal(sees(there, user), []string{"ann/adder"}) {
			t.Errorf("%q has %+v, %v, want version 1", user, entry, err)
		}
		a := entry.Tool.Adoption
		if a == nil || a.Permission != "custom_tool.adder."+made.ID+".1" || !strings.Contains(a.Reason, "ann") ||
			!strings.Contains(a.Reason, "filesystem, network") {
			t.Errorf("%q is asked %+v", user, a)
		}
	}
	if own, _ := there.Lookup("acme", "ann", "adder"); own.Tool.Version != "2" || own.Tool.Adoption != nil {
		t.Errorf("ann has %+v, want her own second version", own.Tool)
	}
	if got, err := there.Get(t.Context(), by("bob"), "adder"); err != nil || got.Code != "return args.n" || !got.Shared {
		t.Errorf("bob reads %+v, %v", got, err)
	}
	for what, err := range map[string]error{
		"Update": change(t, there, by("bob"), "return 'evil'"), "Delete": there.Delete(t.Context(), by("bob"), "adder"),
		"Share": func() error { _, err := there.Share(t.Context(), by("bob"), "adder", about(&second)); return err }(),
	} {
		if tool.AsError(err).Kind != tool.PermissionDenied || !strings.Contains(err.Error(), "ann") {
			t.Errorf("%s by bob = %v, want permission_denied that names the owner", what, err)
		}
	}
	_, err = here.Share(t.Context(), by("ann"), "adder", about(&made))
	wantKind(t, err, tool.ValidationError) // version 1 is no longer what she has
	if _, err := here.Share(t.Context(), by("ann"), "adder", about(&second)); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "the second version is shared", func() bool { return there.get("acme", "bob", "adder").meta.Version == 2 })
	if err := here.Delete(t.Context(), by("ann"), "adder"); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "nobody has it", func() bool { return there.get("acme", "bob", "adder") == nil })
}

// TestSharedNames: a person's own tool comes before a shared one of its name, and a shared
// name belongs to the tool that was shared first.
func TestSharedNames(t *testing.T) {
	t.Parallel()
	r, _ := open(t, queuetest.Connect(t, queuetest.Server(t)))
	quiet := sample("adder")
	quiet.Permissions = []string{permission.Local}
	var made []tool.CustomTool
	for _, user := range []string{"ann", "bob"} {
		one, err := r.Create(t.Context(), by(user), quiet)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, one)
	}
	if _, err := r.Share(t.Context(), by("ann"), "adder", about(&made[0])); err != nil {
		t.Fatal(err)
	}
	_, err := r.Share(t.Context(), by("bob"), "adder", about(&made[1]))
	if tool.AsError(err).Kind != tool.ValidationError || !strings.Contains(err.Error(), "ann") {
		t.Errorf("bob shares a tool of the same name: %v", err)
	}
	if own, _ := r.Lookup("acme", "bob", "adder"); own.Tool.Identity != made[1].ID+"@1" {
		t.Errorf("bob calls %s, want his own", own.Tool.Identity)
	}
	if theirs, _ := r.Lookup("acme", "eve", "adder"); theirs.Tool.Identity != made[0].ID+"-1@1" || theirs.Tool.Adoption != nil {
		t.Errorf("eve calls %s and is asked %v, want the shared one, which may do nothing", theirs.Tool.Identity, theirs.Tool.Adoption)
	}
}

// TestCreateAtOnceByTwo: two persons who create a tool of one name concurrently each have
// their own.
func TestCreateAtOnceByTwo(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	var all sync.WaitGroup
	for i := range 20 {
		for _, user := range []string{"ann", "bob"} {
			all.Go(func() {
				one := sample("adder")
				one.Code = "return '" + user + "'"
				_, err := []*Registry{here, there}[i%2].Create(t.Context(), by(user), one)
				if err != nil && tool.AsError(err).Kind != tool.ValidationError {
					t.Errorf("Create = %v", err)
				}
			})
		}
	}
	all.Wait()
	for _, user := range []string{"ann", "bob"} {
		if got, err := here.Get(t.Context(), by(user), "adder"); err != nil || got.Code != "return '"+user+"'" {
			t.Errorf("%s has %+v, %v", user, got, err)
		}
	}
}

// TestShareRacesUpdate: Share shares the version that was agreed to, or nothing.
func TestShareRacesUpdate(t *testing.T) {
	t.Parallel()
	here, there := two(t)
	for range 20 {
		made, err := here.Create(t.Context(), by("ann"), sample("adder"))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		var shareErr error
		all.Go(func() { _, shareErr = there.Share(t.Context(), by("ann"), "adder", about(&made)) })
		all.Go(func() {
			if _, err := here.Update(t.Context(), by("ann"), "adder", func(c *tool.CustomTool) error {
				c.Code = "return 'evil'"
				return nil
			}); err != nil {
				t.Errorf("Update = %v", err)
			}
		})
		all.Wait()
		got, err := here.Get(t.Context(), by("bob"), "adder")
		switch {
		case shareErr == nil && (err != nil || got.Version != 1 || got.Code != "return args.n"):
			t.Errorf("version 1 was shared, and bob has %+v, %v", got, err)
		case shareErr != nil && (tool.AsError(shareErr).Kind != tool.ValidationError || err == nil):
			t.Errorf("Share = %v, and bob has %+v", shareErr, got)
		}
		if err := here.Delete(t.Context(), by("ann"), "adder"); err != nil {
			t.Fatal(err)
		}
		queuetest.Until(t, "it is gone", func() bool {
			return there.get("acme", "ann", "adder") == nil && here.get("acme", "bob", "adder") == nil
		})
	}
}
