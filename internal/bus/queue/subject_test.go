package queue

import (
	"testing"
)

func TestSubjectsAreThoseOfTheProtocol(t *testing.T) {
	s := NewSubjects("helve.v1")
	for _, tt := range []struct{ got, want string }{
		{s.Call("acme", "default", "files.read"), "helve.v1.acme.call.default.files.read"},
		{s.Result("acme", "gpu", "d-1", "c1"), "helve.v1.acme.result.gpu.d-1.c1"},
		{s.Once("acme", "c1", "fence"), "helve.v1.acme.once.c1.fence"},
		{s.Dead("acme", "default"), "helve.v1.acme.dead.default"},
		{NewSubjects("a").Dead("t", "p"), "a.t.dead.p"},
		{NewSubjects("a.b.c").Dead("t", "p"), "a.b.c.t.dead.p"},
	} {
		if tt.got != tt.want {
			t.Errorf("subject = %q, want %q", tt.got, tt.want)
		}
	}
}
