package dynamic

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/helve-dev/helve/tool"
)

// MaxTools is how many dynamic tools a tenant may have.
const MaxTools = 1000

// Create implements [tool.CustomTools].
func (r *Registry) Create(ctx context.Context, call *tool.Call, t tool.CustomTool) (tool.CustomTool, error) {
	if err := r.Check(ctx, call, t, true); err != nil {
		return t, err
	}
	if n := r.count(call.Tenant); n >= MaxTools {
		return t, full(n)
	}
	t.ID, t.Version, t.Enabled, t.CreatedBy = "ct_"+rand.Text(), 1, true, cmp.Or(call.User, call.Agent)
	t.CreatedAt = r.now()
	t.UpdatedAt = t.CreatedAt
	t.Permissions = normal(t.Permissions)
	value, err := encode(&t)
	if err != nil {
		return t, err
	}
	switch err := r.bucket.Create(ctx, key(call.Tenant, t.Name), value); {
	case err != nil && r.exists(err):
		return t, tool.Fail(tool.ValidationError, "name: there is a tool '%s' already; change it with update_custom_tool, or choose another name", t.Name)
	case err != nil:
		return t, unstored(err)
	}
	if err := r.fits(ctx, call.Tenant, t.Name); err != nil {
		return t, err
	}
	r.keep(call.Tenant, &t)
	return t, nil
}

// crowd is how close to MaxTools it is looked again at what is stored: as many may
// have been made at once.
const crowd = 100

// fits takes a tool back that was one too many because others were made in the same
// moment. Then each of them may be taken back: there are never too many.
func (r *Registry) fits(ctx context.Context, tenant, name string) error {
	if r.count(tenant)+crowd < MaxTools {
		return nil
	}
	n := 0
	if err := r.bucket.LoadBelow(ctx, tenant, func(string, []byte) { n++ }); err != nil {
		return unstored(err)
	}
	if n <= MaxTools {
		return nil
	}
	if err := r.bucket.Delete(ctx, key(tenant, name)); err != nil {
		return unstored(err)
	}
	return full(MaxTools)
}

func full(n int) error {
	return tool.Fail(tool.ValidationError, "there are %d custom tools, and no more are allowed; delete one first", n)
}

// updateTries bounds how often a change is made again because somebody else made
// one in between.
const updateTries = 10

// Update implements [tool.CustomTools].
func (r *Registry) Update(ctx context.Context, call *tool.Call, name string, change func(*tool.CustomTool) error) (tool.CustomTool, error) {
	for range updateTries {
		old, t, err := r.read(ctx, call.Tenant, name)
		if err != nil {
			return tool.CustomTool{}, err
		}
		before := *t
		if err := change(t); err != nil {
			return before, err
		}
		t.Permissions = normal(t.Permissions)
		t.ID, t.Name, t.CreatedBy, t.CreatedAt = before.ID, before.Name, before.CreatedBy, before.CreatedAt
		t.Version, t.UpdatedAt = before.Version+1, r.now()
		value, err := encode(t)
		if err != nil {
			return before, err
		}
		if bytes.Equal(value, old) {
			return before, nil
		}
		err = r.bucket.Replace(ctx, key(call.Tenant, name), old, value)
		if err != nil && r.exists(err) {
			continue
		}
		if err != nil {
			return before, unstored(err)
		}
		r.keep(call.Tenant, t)
		return *t, nil
	}
	return tool.CustomTool{}, tool.Fail(tool.ExecutionError, "others keep changing '%s'; try again", name)
}

// Delete implements [tool.CustomTools].
func (r *Registry) Delete(ctx context.Context, call *tool.Call, name string) error {
	if _, _, err := r.read(ctx, call.Tenant, name); err != nil {
		return err
	}
	if err := r.bucket.Delete(ctx, key(call.Tenant, name)); err != nil {
		return unstored(err)
	}
	r.forget(call.Tenant, name)
	return nil
}

// Get implements [tool.CustomTools]. It reads what is stored, code included.
func (r *Registry) Get(ctx context.Context, call *tool.Call, name string) (tool.CustomTool, error) {
	_, t, err := r.read(ctx, call.Tenant, name)
	if err != nil {
		return tool.CustomTool{}, err
	}
	return *t, nil
}

// List implements [tool.CustomTools]; the tools are without their code.
func (r *Registry) List(_ context.Context, call *tool.Call) ([]tool.CustomTool, error) {
	r.mu.RLock()
	list := make([]tool.CustomTool, 0, len(r.tenants[call.Tenant]))
	for _, l := range r.tenants[call.Tenant] {
		list = append(list, l.meta)
	}
	r.mu.RUnlock()
	slices.SortFunc(list, func(a, b tool.CustomTool) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

func (r *Registry) read(ctx context.Context, tenant, name string) ([]byte, *tool.CustomTool, error) {
	if !namePattern.MatchString(name) {
		return nil, nil, noTool(name)
	}
	value, err := r.bucket.Get(ctx, key(tenant, name))
	switch {
	case err != nil:
		return nil, nil, unstored(err)
	case value == nil:
		return nil, nil, noTool(name)
	}
	t, err := decode(name, value)
	if err != nil {
		return nil, nil, tool.Fail(tool.Internal, "the custom tool '%s' is not readable; delete it and make it again", name).Because(err)
	}
	return value, t, nil
}

func noTool(name string) *tool.Error {
	return tool.Fail(tool.ToolNotFound, "there is no custom tool '%.64s'; list_custom_tools names those there are", name)
}

func unstored(err error) *tool.Error {
	return tool.Fail(tool.Internal, "the store of custom tools cannot be reached; try again").Because(err)
}

func (r *Registry) count(tenant string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.tenants[tenant])
}

func (r *Registry) now() time.Time {
	if r.opts.Now != nil {
		return r.opts.Now().UTC()
	}
	return time.Now().UTC()
}

// normal lists each permission once, in one order.
func normal(permissions []string) []string {
	list := append([]string{}, permissions...)
	slices.Sort(list)
	return slices.Compact(list)
}
