package dynamic

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/toolbox/dynamic/store"
	"github.com/helve-dev/helve/tool"
)

// MaxTools is the maximum number of dynamic tools of a tenant, without shared copies.
const MaxTools = 1000

// MaxOwn is the maximum number of tools of one person, so that one person cannot use the
// tenant's share.
const MaxOwn = 200

// Create implements [tool.CustomTools].
func (r *Registry) Create(ctx context.Context, call *tool.Call, t tool.CustomTool) (tool.CustomTool, error) {
	if err := r.Check(ctx, call, t, true); err != nil {
		return t, err
	}
	if all, own := r.count(call.Tenant, call.User); own >= MaxOwn {
		return t, ownFull()
	} else if all >= MaxTools {
		return t, full(all)
	}
	t.ID, t.Version, t.Enabled, t.Owner, t.CreatedBy = "ct_"+rand.Text(), 1, true, call.User, call.User
	t.CreatedAt = r.now()
	t.UpdatedAt = t.CreatedAt
	t.Permissions = normal(t.Permissions)
	value, err := encode(&t)
	if err != nil {
		return t, err
	}
	place := store.Own(call.Tenant, call.User, t.Name)
	switch err := r.opts.Bucket.Create(ctx, place.Key(), value); {
	case err != nil && r.opts.Exists(err):
		return t, tool.Fail(tool.ValidationError, "name: you have a tool '%s' already; change it with update_custom_tool, or choose another name",
			t.Name)
	case err != nil:
		return t, unstored(err)
	}
	if err := r.fits(ctx, place); err != nil {
		return t, err
	}
	r.keep(place, &t)
	t.Missing = r.missing(call, &t)
	return t, nil
}

// crowd is the distance to a bound below which the stored tools are counted again: as many
// may have been made concurrently.
const crowd = 100

// fits removes a new tool again if concurrent creations exceeded a bound. All of them may
// be removed: there are never too many.
func (r *Registry) fits(ctx context.Context, made store.Place) error {
	if all, own := r.count(made.Tenant, made.Owner); all+crowd < MaxTools && own+crowd < MaxOwn {
		return nil
	}
	all, own := 0, 0
	if err := r.opts.Bucket.LoadBelow(ctx, made.Tenant, func(key string, _ []byte) {
		if p, ok := store.ParsePlace(key); ok && !p.Shared {
			all++
			if p.Owner == made.Owner {
				own++
			}
		}
	}); err != nil {
		// A caller that is told so finds no tool of that name at the next attempt.
		return unstored(errors.Join(err, r.opts.Bucket.Delete(context.WithoutCancel(ctx), made.Key())))
	}
	if all <= MaxTools && own <= MaxOwn {
		return nil
	}
	if err := r.opts.Bucket.Delete(ctx, made.Key()); err != nil {
		return unstored(err)
	}
	if own > MaxOwn {
		return ownFull()
	}
	return full(MaxTools)
}

func full(n int) error {
	return tool.Fail(tool.ValidationError, "there are %d custom tools, and no more are allowed; delete one first", n)
}

func ownFull() error {
	return tool.Fail(tool.ValidationError, "one person may have %d custom tools, and you have as many; delete one first", MaxOwn)
}

// updateTries bounds how often a change is repeated after a concurrent change.
const updateTries = 10

// Update implements [tool.CustomTools].
func (r *Registry) Update(ctx context.Context, call *tool.Call, name string, change func(*tool.CustomTool) error) (tool.CustomTool, error) {
	for range updateTries {
		f, err := r.mine(ctx, call, name)
		if err != nil {
			return tool.CustomTool{}, err
		}
		before, t := f.Tool, f.Tool
		if err := change(&t); err != nil {
			return before, err
		}
		t.Permissions = normal(t.Permissions)
		t.ID, t.Name, t.Owner, t.CreatedBy, t.CreatedAt = before.ID, before.Name, before.Owner, before.CreatedBy, before.CreatedAt
		t.Version, t.UpdatedAt = before.Version+1, r.now()
		value, err := encode(&t)
		if err != nil {
			return before, err
		}
		if bytes.Equal(value, f.Value) {
			return before, nil
		}
		err = r.opts.Bucket.Replace(ctx, f.Place.Key(), f.Value, value)
		if err != nil && r.opts.Exists(err) {
			continue
		}
		if err != nil {
			return before, unstored(err)
		}
		r.keep(f.Place, &t)
		t.Missing = r.missing(call, &t)
		return t, nil
	}
	return tool.CustomTool{}, tool.Fail(tool.ExecutionError, "others keep changing '%s'; try again", name)
}

// Share implements [tool.CustomTools].
func (r *Registry) Share(ctx context.Context, call *tool.Call, name, about string) (tool.CustomTool, error) {
	if _, err := r.mine(ctx, call, name); err != nil {
		return tool.CustomTool{}, err
	}
	id, number, _ := strings.Cut(about, "@")
	n, err := strconv.Atoi(number)
	if err != nil {
		return tool.CustomTool{}, tool.Fail(tool.Internal, "the version to share is not known; make the call again").Because(err)
	}
	e, err := r.store.Share(ctx, call.Tenant, call.User, name, store.Version{ID: id, Number: n}, "consent:"+call.ID)
	if err != nil {
		return tool.CustomTool{}, failure(name, err)
	}
	r.keep(store.Shared(call.Tenant, name), &e.Tool)
	return e.Tool, nil
}

// Delete implements [tool.CustomTools].
func (r *Registry) Delete(ctx context.Context, call *tool.Call, name string) error {
	f, err := r.mine(ctx, call, name)
	if err != nil {
		return err
	}
	if err := r.store.Delete(ctx, call.Tenant, call.User, name); err != nil {
		return failure(name, err)
	}
	r.forget(f.Place.Key())
	if l := r.shared(call.Tenant, name); l != nil && l.meta.ID == f.Tool.ID {
		r.forget(l.place.Key())
	}
	return nil
}

// Get implements [tool.CustomTools]. It reads the stored tool, code included: the person's
// own tool, or else the version that is shared with them.
func (r *Registry) Get(ctx context.Context, call *tool.Call, name string) (tool.CustomTool, error) {
	f, err := r.store.OfOwner(ctx, call.Tenant, call.User, name)
	if err == nil && (f == nil || call.User == "") {
		f, err = r.store.Get(ctx, store.Shared(call.Tenant, name))
	}
	switch {
	case err != nil:
		return tool.CustomTool{}, failure(name, err)
	case f == nil:
		return tool.CustomTool{}, noTool(name)
	}
	f.Tool.Shared = f.Place.Shared
	return f.Tool, nil
}

// Versions implements [tool.CustomTools]: of the person's own tool, or else of the tool that is
// shared with them.
func (r *Registry) Versions(ctx context.Context, call *tool.Call, name string) ([]tool.CustomTool, error) {
	f, err := r.store.OfOwner(ctx, call.Tenant, call.User, name)
	if err == nil && (f == nil || call.User == "") {
		f, err = r.store.Get(ctx, store.Shared(call.Tenant, name))
	}
	switch {
	case err != nil:
		return nil, failure(name, err)
	case f == nil:
		return nil, noTool(name)
	}
	kept, err := r.store.Versions(ctx, f)
	if err != nil {
		return nil, failure(name, err)
	}
	list := make([]tool.CustomTool, len(kept))
	for i := range kept {
		list[i] = kept[i].Tool
		list[i].Shared = f.Place.Shared
	}
	return list, nil
}

// List implements [tool.CustomTools]; the tools are without their code.
func (r *Registry) List(_ context.Context, call *tool.Call) ([]tool.CustomTool, error) {
	list := []tool.CustomTool{}
	for _, l := range r.seen(call.Tenant, call.User) {
		list = append(list, l.meta)
	}
	slices.SortFunc(list, func(a, b tool.CustomTool) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// mine reads the tool that the call's user may change: their own. A call without a user has
// none.
func (r *Registry) mine(ctx context.Context, call *tool.Call, name string) (*store.Found, error) {
	if call.User == "" {
		return nil, tool.Fail(tool.PermissionDenied, "a custom tool belongs to a person, and this call names none; name the user in the context")
	}
	f, err := r.store.OfOwner(ctx, call.Tenant, call.User, name)
	switch {
	case err != nil:
		return nil, failure(name, err)
	case f != nil:
		return f, nil
	}
	if l := r.shared(call.Tenant, name); l != nil {
		return nil, tool.Fail(tool.PermissionDenied,
			"'%s' belongs to %s, and only they or an admin can change it; make a tool of your own with create_tool", name, l.meta.Owner)
	}
	return nil, noTool(name)
}

func encode(t *tool.CustomTool) ([]byte, error) {
	e := store.Entry{Definition: Definition(t), Tool: *t}
	return e.Encode()
}

// failure converts an error of the store into an error of a call.
func failure(name string, err error) error {
	e, ok := errors.AsType[*store.Error](err)
	switch {
	case !ok:
		return unstored(err)
	case e.Kind == store.NotFound:
		return noTool(name)
	case e.Kind == store.Conflict:
		return tool.Fail(tool.ValidationError, "%s", e.Msg)
	}
	return tool.Fail(tool.PermissionDenied, "%s", e.Msg)
}

func noTool(name string) *tool.Error {
	return tool.Fail(tool.ToolNotFound, "there is no custom tool '%.64s'; list_custom_tools names those there are", name)
}

func unstored(err error) *tool.Error {
	return tool.Fail(tool.Internal, "the store of custom tools cannot be reached; try again").Because(err)
}

// count returns the number of tools of a tenant, and of one person.
func (r *Registry) count(tenant, owner string) (all, own int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if of := r.tenants[tenant]; of != nil {
		return of.count, len(of.own[owner])
	}
	return 0, 0
}

func (r *Registry) now() time.Time {
	if r.opts.Now != nil {
		return r.opts.Now().UTC()
	}
	return time.Now().UTC()
}

// normal returns the permissions sorted, without duplicates.
func normal(permissions []string) []string {
	list := append([]string{}, permissions...)
	slices.Sort(list)
	return slices.Compact(list)
}
