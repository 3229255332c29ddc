package queue

import (
	"testing"
)

func TestSubjectsAreThoseOfTheProtocol(t *testing.T) {
	s := NewSubjects("helve.v1")
	for _, tt := range []struct{ got, want string }{
		{s.API("acme", "tools.list"), "helve.v1.acme.api.tools.list"},
		{s.Call("acme", "default", "files.read"), "helve.v1.acme.call.default.files.read"},
		{s.Result("acme", "gpu", "d-1", "c1"), "helve.v1.acme.result.gpu.d-1.c1"},
		{s.Cancel("acme", "c1"), "helve.v1.acme.cancel.c1"},
		{s.Probe("acme", "c1"), "helve.v1.acme.probe.c1"},
		{s.Once("acme", "c1", "fence"), "helve.v1.acme.once.c1.fence"},
		{s.Dead("acme", "default"), "helve.v1.acme.dead.default"},
		{NewSubjects("a").Cancel("t", "c"), "a.t.cancel.c"},
		{NewSubjects("a.b.c").Cancel("t", "c"), "a.b.c.t.cancel.c"},
	} {
		if tt.got != tt.want {
			t.Errorf("subject = %q, want %q", tt.got, tt.want)
		}
	}
}
