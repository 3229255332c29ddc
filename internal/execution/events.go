package execution

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// publishStarted publishes that a call has started, soon or when the returned function is
// called, whichever is first; the event has the time of the start. A call that is done
// before publishes it together with its result: one write to the broker fewer before the
// result.
func (x *Executor) publishStarted(c *Call) (now func()) {
	at := time.Now()
	return x.starts.add(at, func() {
		var space [96]byte
		data := append(append(space[:0], `{"worker":"`...), x.Worker...)
		data = append(data, `","attempt":`...)
		data = append(strconv.AppendInt(data, int64(c.Attempt), 10), '}')
		x.Events.Publish(at, c, protocol.EventStarted, data)
	})
}

// doneData returns the data of the event that a call has ended.
func doneData(el *protocol.Result) []byte {
	data := append(append(make([]byte, 0, 64), `{"status":"`...), el.Status...)
	if el.ErrorType != "" {
		data = append(append(data, `","error_type":"`...), el.ErrorType...)
	}
	return append(data, `"}`...)
}

// eventEmitter publishes the events that a running tool emits.
type eventEmitter struct {
	events  Events
	call    *Call
	started func()
}

// Emit implements [tool.Events].
func (e eventEmitter) Emit(kind string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		return // events are not promised
	}
	e.started()
	e.events.Publish(time.Now(), e.call, kind, raw)
}
