package worker

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/helve-dev/helve/internal/bus"
)

// quick is how long a call may run before it is told that it has started. A
// call that is done before tells it together with its result: one write to the
// broker less in the way of the result.
const quick = 2 * time.Millisecond

// tellStarted tells that a call has started, soon or when the returned function
// is called, whichever is first; the event has the time of the start.
func (w *Worker) tellStarted(d *bus.Delivery) (now func()) {
	at := time.Now()
	tell := sync.OnceFunc(func() {
		data := append([]byte(`{"worker":"`), w.ID()...)
		data = append(data, `","attempt":`...)
		data = append(strconv.AppendInt(data, int64(d.Attempt), 10), '}')
		w.bus.TellAt(at, d.Tenant, d.TraceID, d.CallID, d.Tool, bus.EventStarted, data)
	})
	timer := time.AfterFunc(quick, tell)
	return func() {
		timer.Stop()
		tell()
	}
}

// teller sends the events of a running call.
type teller struct {
	bus     *bus.Bus
	d       *bus.Delivery
	started func()
}

// Emit implements [tool.Events].
func (t teller) Emit(kind string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		return // an event that cannot be written is one that nobody hears
	}
	t.started()
	t.bus.Tell(t.d.Tenant, t.d.TraceID, t.d.CallID, t.d.Tool, kind, raw)
}
