package sandbox

import (
	"time"

	"github.com/helve-dev/helve/internal/sandbox/inside"
)

// Limits bound one run. A zero field takes that of [DefaultLimits]; one above it
// is lowered to it.
type Limits struct {
	Wall   time.Duration // from start to answer
	CPU    time.Duration // of the child, for this run
	Memory int64         // bytes of live heap beyond an idle runtime
	Output int           // bytes of the result
}

// DefaultLimits are the seed's: 30 s, 5 s of CPU, 50 MB, 1 MB.
func DefaultLimits() Limits {
	return Limits{Wall: inside.Wall, CPU: 5 * time.Second, Memory: 50 << 20, Output: 1 << 20}
}

func (l Limits) within(most Limits) Limits {
	return Limits{
		Wall:   lower(l.Wall, most.Wall),
		CPU:    lower(l.CPU, most.CPU),
		Memory: lower(l.Memory, most.Memory),
		Output: lower(l.Output, most.Output),
	}
}

func lower[N ~int | ~int64](n, most N) N {
	if n <= 0 {
		return most
	}
	return min(n, most)
}

// lifetimeCPU is when the kernel ends a child, whatever else fails. A child is
// recycled at half of it, so that a run always has its whole limit left.
func (l Limits) lifetimeCPU() time.Duration {
	return max(4*l.CPU, 2*time.Second).Round(time.Second)
}
