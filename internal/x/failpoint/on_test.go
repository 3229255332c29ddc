//go:build failpoint

package failpoint

import (
	"errors"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Setenv("FAILPOINTS", WorkerTaken+"=error@2,"+QueueRead+"=error@*"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestHit(t *testing.T) {
	for _, tt := range []struct {
		name string
		want []bool
	}{
		{WorkerTaken, []bool{false, true, false}},
		{QueueRead, []bool{true, true, true}},
		{QueueAck, []bool{false, false, false}},
		{QueueBeat, []bool{false}},
	} {
		for i, want := range tt.want {
			if err := Hit(tt.name); errors.Is(err, ErrInjected) != want {
				t.Errorf("hit %d of %s: %v, want an error: %v", i+1, tt.name, err, want)
			}
		}
	}
}
