package sandbox_test

import (
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/toolbox/sandbox"
	"github.com/helve-dev/helve/tool"
)

// TestCompileOnly: code is compiled in a child, and not run.
func TestCompileOnly(t *testing.T) {
	p := newPool(t, sandbox.Options{})
	for code, want := range map[string]string{
		"for (;;) {}":            "",
		"return return":          "Unexpected token",
		"});evil();(function(){": "closes a bracket that was not opened",
	} {
		value, err := p.Run(t.Context(), sandbox.Job{Tenant: "a", Name: "x", Code: code, CompileOnly: true})
		switch {
		case want == "" && (err != nil || string(value) != "null"):
			t.Errorf("%s: %s, %v, want null", code, value, err)
		case want != "" && (err == nil || tool.AsError(err).Kind != tool.ValidationError || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want a validation_error with %q", code, err, want)
		}
	}
}
