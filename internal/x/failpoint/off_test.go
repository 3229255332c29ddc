//go:build !failpoint

package failpoint

import "testing"

func TestHitIsNothingWithoutTheTag(t *testing.T) {
	t.Setenv("FAILPOINTS", WorkerTaken+"=error@*")
	if err := Hit(WorkerTaken); err != nil {
		t.Errorf("Hit = %v in a build without the tag, want nil", err)
	}
	if n := testing.AllocsPerRun(10, func() { _ = Hit(WorkerTaken) }); n != 0 {
		t.Errorf("Hit allocates %v times, want 0", n)
	}
}
