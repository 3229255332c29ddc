package tooltest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/jsonx/schema"
	"github.com/helve-dev/helve/tool"
)

// Run runs the cases in order against the tool named name, each as a subtest. The call
// is copied for each case; empty fields are filled in (tenant "default", a fixed
// [Clock], an [Events]), and ports that the tool does not request are removed, as on a
// worker. A port that it requests must be in the call. Files keep the writes of earlier
// cases.
func Run(t *testing.T, set *tool.Set, name string, call tool.Call, cases []Case) {
	t.Helper()
	tl := find(set, name)
	if tl == nil {
		t.Fatalf("the set has no tool %q", name)
	}
	args, err := compile(tl)
	if err != nil {
		t.Fatalf("the parameters of %s do not compile: %v", name, err)
	}
	if missing := equip(&call, tl); missing != "" {
		t.Fatalf("%s needs %s; set it in the call", name, missing)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			res, err := play(t.Context(), tl, args, call, c.Args)
			for _, problem := range append(c.problems(res, err), undeclared(tl, err)...) {
				t.Errorf("%s(%s): %s", name, c.Args, problem)
			}
			if c.Check != nil && err == nil {
				c.Check(t, res)
			}
		})
	}
}

func compile(tl *tool.Tool) (*schema.Schema, error) {
	var options []schema.Option
	for _, name := range tl.Loose {
		options = append(options, schema.Free(name))
	}
	for alias, name := range tl.ParameterAliases {
		options = append(options, schema.Alias(alias, name))
	}
	return schema.Compile(tl.Parameters, options...)
}

// Play makes one call of a tool, as [Run] does for a case, and returns its outcome. The
// error is a [MissingPort] if the tool requests a port that is not in the call. A tool
// that delegates cannot be played.
func Play(ctx context.Context, tl *tool.Tool, call tool.Call, args string) (tool.Result, error) {
	if tl.Delegates() {
		return tool.Result{}, MissingPort("Tools")
	}
	parameters, err := compile(tl)
	if err != nil {
		return tool.Result{}, fmt.Errorf("the parameters of %s do not compile: %w", tl.Name, err)
	}
	if missing := equip(&call, tl); missing != "" {
		return tool.Result{}, MissingPort(missing)
	}
	return play(ctx, tl, parameters, call, args)
}

// MissingPort names a port of [tool.Call] that a tool requests and the call does not
// have.
type MissingPort string

// Error names the port.
func (p MissingPort) Error() string { return "the call has no port " + string(p) }

// undeclared returns a problem if a tool that declares its errors failed with another
// kind.
func undeclared(tl *tool.Tool, err error) []string {
	failure := tool.AsError(err)
	if failure == nil || tl.Errors == nil || slices.Contains(tl.Errors, failure.Kind) || slices.Contains(tool.Universal(), failure.Kind) {
		return nil
	}
	return []string{fmt.Sprintf("failed with %s, which is not among the Errors of its Spec", failure.Kind)}
}

func find(set *tool.Set, name string) *tool.Tool {
	for _, tl := range set.Tools() {
		if tl.Name == name {
			return tl
		}
	}
	return nil
}

// noon is the time of the tests unless they set a clock.
var noon = time.Date(2026, time.January, 2, 12, 0, 0, 0, time.UTC)

// equip completes call for tl and returns the name of a missing port.
func equip(call *tool.Call, tl *tool.Tool) (missing string) {
	call.ID = cmp.Or(call.ID, "call-1")
	call.TraceID = cmp.Or(call.TraceID, "0123456789abcdef0123456789abcdef")
	call.Tool = tl.Name
	call.Tenant = cmp.Or(call.Tenant, "default")
	call.Attempt = cmp.Or(call.Attempt, 1)
	if call.Clock == nil {
		call.Clock = Clock{T: noon}
	}
	if call.Events == nil {
		call.Events = &Events{}
	}
	for _, port := range []struct {
		need  tool.Needs
		name  string
		there bool
		take  func()
	}{
		{tool.NeedFiles, "Files", call.Files != nil, func() { call.Files = nil }},
		{tool.NeedHTTP, "HTTP", call.HTTP != nil, func() { call.HTTP = nil }},
		{tool.NeedDialer, "Dialer", call.Dialer != nil, func() { call.Dialer = nil }},
		{tool.NeedTools, "Tools", call.Tools != nil, func() { call.Tools = nil }},
		{tool.NeedSecrets, "Secrets", call.Secrets != nil, func() { call.Secrets = nil }},
		{tool.NeedCustomTools, "CustomTools", call.CustomTools != nil, func() { call.CustomTools = nil }},
		{tool.NeedPrograms, "Programs", call.Programs != nil, func() { call.Programs = nil }},
		{tool.NeedContainers, "Containers", call.Containers != nil, func() { call.Containers = nil }},
		{tool.NeedDesktop, "Desktop", call.Desktop != nil, func() { call.Desktop = nil }},
		{tool.NeedFonts, "Fonts", call.Fonts != nil, func() { call.Fonts = nil }},
		{tool.NeedCatalogue, "Catalogue", call.Catalogue != nil, func() { call.Catalogue = nil }},
		{tool.NeedCache, "Cache", call.Cache != nil, func() { call.Cache = nil }},
		{tool.NeedStore, "Store", call.Store != nil, func() { call.Store = nil }},
		{tool.NeedSchedules, "Schedules", call.Schedules != nil, func() { call.Schedules = nil }},
	} {
		switch {
		case !tl.Needs.Has(port.need):
			port.take()
		case !port.there:
			return port.name
		}
	}
	return ""
}

// play makes one call, within the tool's timeout.
func play(ctx context.Context, tl *tool.Tool, args *schema.Schema, call tool.Call, raw string) (tool.Result, error) {
	ready, err := args.Prepare([]byte(cmp.Or(raw, "{}")))
	if err != nil {
		return tool.Result{}, tool.Fail(tool.ValidationError, "%s", err)
	}
	inv, err := tl.Bind(ready.Args)
	if err != nil {
		return tool.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, tl.Timeout())
	defer cancel()
	if end, ok := ctx.Deadline(); ok && call.Deadline.IsZero() {
		call.Deadline = end
	}
	if inv.Check != nil {
		given := call.Store
		if s, ok := given.(*Store); ok {
			call.Store = s.For(call.Tenant, call.User)
		}
		if err := inv.Check(ctx, &call); err != nil {
			return tool.Result{}, err
		}
		call.Store = given
	}
	return run(ctx, inv, &call)
}
