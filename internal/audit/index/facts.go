package index

import (
	"time"

	"github.com/go-json-experiment/json"

	"github.com/helve-dev/helve/internal/audit"
	"github.com/helve-dev/helve/internal/audit/scan"
)

// field is one of the indexed fields of a record.
type field uint8

const (
	trace        = field(scan.Trace)
	call         = field(scan.Call)
	tool         = field(scan.Tool)
	user         = field(scan.User)
	agent        = field(scan.Agent)
	conversation = field(scan.Conversation)
	status       = field(scan.Status)
	errorType    = field(scan.ErrorType)
	phase        = field(scan.Phase)
	outcome      = field(scan.Outcome)
	late         = outcome + 1 // how late a call ended, which follows from the times of a record
	fields       = late + 1    // the number of fields
)

// facts holds the indexed values of a record.
type facts struct {
	micros int64 // its time in microseconds since 1970; in the year 1 if it has none
	values [fields + 1][]byte
}

// noTime is the time of a record that has none.
var noTime = scan.NoTime

// factsOf returns the facts of a stored record; none if the bytes are not a record. The
// values are slices of data.
func factsOf(data []byte) facts {
	known, ok := scan.Record(data)
	if !ok {
		return parseFacts(data)
	}
	f := facts{micros: known.Micros}
	copy(f.values[:late], known.Values[:])
	f.values[late] = lateness(known.Micros, known.Accepted)
	return f
}

// lateness returns the value of the field late; none for a record whose call did not end late.
func lateness(micros, accepted int64) []byte {
	if accepted == noTime || micros == noTime {
		return nil
	}
	return audit.LatenessOf(time.UnixMicro(accepted), time.UnixMicro(micros)).Key()
}

// parseFacts parses any record with the JSON library.
func parseFacts(data []byte) facts {
	var r struct {
		Time         time.Time `json:"time"`
		AcceptedAt   time.Time `json:"accepted_at"`
		Phase        string    `json:"phase"`
		TraceID      string    `json:"trace_id"`
		CallID       string    `json:"call_id"`
		User         string    `json:"user"`
		Agent        string    `json:"agent"`
		Conversation string    `json:"conversation"`
		Tool         string    `json:"tool"`
		Decision     struct {
			Outcome string `json:"outcome"`
		} `json:"decision"`
		Result struct {
			Status    string `json:"status"`
			ErrorType string `json:"error_type"`
		} `json:"result"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return facts{micros: noTime}
	}
	f := facts{micros: r.Time.UnixMicro()}
	for i, value := range [late]string{
		r.TraceID, r.CallID, r.Tool, r.User, r.Agent, r.Conversation, r.Result.Status, r.Result.ErrorType, r.Phase, r.Decision.Outcome,
	} {
		f.values[i] = []byte(value)
	}
	f.values[late] = lateness(f.micros, r.AcceptedAt.UnixMicro())
	return f
}
