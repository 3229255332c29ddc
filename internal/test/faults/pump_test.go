package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/helve-dev/helve/internal/x/failpoint"
)

// TestPumpFails strikes the dispatcher that writes final records, before and after a write.
// Another continues, the first one, if it was only stopped, continues after that, and every
// record is on the trail once, sealed.
func TestPumpFails(t *testing.T) {
	for _, point := range []string{failpoint.PumpBeforeWrite, failpoint.PumpAfterWrite} {
		for _, action := range actions {
			t.Run(strings.Join([]string{point, action}, "/"), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.worker()
				victim := w.dispatcher(failing("%s=%s@3", point, action))
				await(t, "a pump", victim.seals)
				other := w.dispatcher()
				first := other.send(time.Minute, w.writers(200, 0, 1)...)
				for range 5 {
					other.execute(time.Minute, w.writers(20, 0, 0)...)
				}
				victim.struck(point, action)
				if action != "error" {
					await(t, "another pump", other.seals)
				}
				other.execute(time.Minute, w.writers(30, 0, 0)...)
				w.observe().records()
				if action == "stop" {
					victim.signal(syscall.SIGCONT)
					other.execute(time.Minute, w.writers(30, 0, 0)...)
				}
				<-first
				w.settleAll(other, w.calls)
				w.wantEachOnRecord()
				w.sealedAll(other)
				w.exports(other)
				w.settled(other)
			})
		}
	}
}
