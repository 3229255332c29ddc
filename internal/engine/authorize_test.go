package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

func TestAuthorizeSeesTheInvocation(t *testing.T) {
	w := holding(t, running(nothing, func(s *tool.Spec[pathArgs, any]) {
		s.Mutates = true
		s.Reads = func(a pathArgs) bool { return a.Path == "read" }
	}))
	for path, mutates := range map[string]bool{"read": false, "write": true} {
		wantValue(t, w.execute(t.Context(), job(`{"path":"`+path+`"}`)), "null")
		if w.judged.Mutates != mutates || w.judged.Run == nil {
			t.Errorf("%s: judged %+v, want Mutates %v and bound", path, w.judged, mutates)
		}
	}
}

func TestAuthorizeFault(t *testing.T) {
	w := holding(t, returning(1, nil))
	w.policyErr = errors.New("rules at /etc/helve/rules are unreadable")
	out := w.execute(t.Context(), job(`{"path":"a"}`))
	wantKind(t, out, tool.Internal)
	if strings.Contains(out.Err.Msg, "/etc") {
		t.Errorf("message = %q, which shows the cause", out.Err.Msg)
	}
}

func TestAllowAll(t *testing.T) {
	d := holding(t, returning(1, nil)).deps()
	d.Policy = AllowAll()
	wantValue(t, New(d).Execute(t.Context(), job(`{"path":"a"}`)), "1")
}
