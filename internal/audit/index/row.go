package index

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/uptrace/bun"

	"github.com/helve-dev/helve/internal/audit"
)

// row is a record in the table.
type row struct {
	bun.BaseModel `bun:"table:audit_record"`

	Seq          int64  `bun:"seq,pk"`
	Tenant       string `bun:"tenant"`
	Time         int64  `bun:"time"`
	TraceID      string `bun:"trace_id"`
	CallID       string `bun:"call_id"`
	Tool         string `bun:"tool"`
	User         string `bun:"user_id"`
	Agent        string `bun:"agent"`
	Conversation string `bun:"conversation"`
	Status       string `bun:"status"`
	ErrorType    string `bun:"error_type"`
	Phase        string `bun:"phase"`
	Outcome      string `bun:"outcome"`
	Record       []byte `bun:"record"`
}

// facts are what a record is found by. To read no more than them takes two
// thirds of the time that all of a record does.
type facts struct {
	Time         time.Time `json:"time"`
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

// rowOf is the row of m. What cannot be read keeps its place, its tenant, which
// the stream vouches for, and its bytes.
func rowOf(m Message) row {
	var f facts
	if err := json.Unmarshal(m.Data, &f); err != nil {
		f = facts{}
	}
	res := row{
		Seq: int64(m.Seq), Tenant: key(m.Tenant), Time: f.Time.UnixMicro(),
		TraceID: key(f.TraceID), CallID: key(f.CallID), Tool: key(f.Tool),
		User: key(f.User), Agent: key(f.Agent), Conversation: key(f.Conversation),
		Status: key(f.Result.Status), ErrorType: key(f.Result.ErrorType),
		Phase: key(f.Phase), Outcome: key(f.Decision.Outcome), Record: m.Data,
	}
	if res.Record == nil {
		res.Record = []byte{} // nil is NULL, which the table refuses
	}
	return res
}

// record is what the row holds. The stream's place and tenant are right, so
// they stand, whatever the record says.
func (r *row) record(tenant string) audit.Record {
	res, err := audit.Decode(r.Record)
	if err != nil {
		res = audit.Record{Detail: "This record cannot be read; `helve audit verify` tells whether it was changed."}
	}
	res.Seq, res.Tenant = uint64(r.Seq), tenant
	return res
}

const longestKey = 200

// key is how a value stands in a column and in a query. Databases refuse some
// text, by its length, its characters or their own encoding, and one such value
// must not hold up all that come after it: of what is not short and plain there
// stands the hash, which is found as well.
func key(value string) string {
	plain := len(value) <= longestKey
	for i := 0; plain && i < len(value); i++ {
		plain = value[i] >= ' ' && value[i] <= '~'
	}
	if plain {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return "sha256:" + hex.EncodeToString(sum[:])
}
