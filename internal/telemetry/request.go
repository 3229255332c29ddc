package telemetry

import "strconv"

// Door is the way on which a request came.
type Door string

// The doors.
const (
	HTTP Door = "http"
	NATS Door = "nats"
	MCP  Door = "mcp"
)

// request is the label set under which a request is counted.
type request struct {
	door      Door
	operation string
	status    int
}

// Requested counts a request that was answered. The operation is a name of ours, never the
// caller's text; status is the HTTP status of the answer.
func (m *Metrics) Requested(door Door, operation string, status int) {
	if m == nil {
		return
	}
	key := request{door, operation, status}
	c := m.byRequest.get(key)
	if c == nil {
		text, known := unknown, status >= 100 && status < 600
		if known {
			text = strconv.Itoa(status)
		}
		if c = m.requests.WithLabelValues(string(door), label(operation), text); known {
			m.byRequest.put(key, c)
		}
	}
	c.Inc()
}
