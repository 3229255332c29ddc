package index

import (
	"crypto/sha256"
	"encoding/hex"

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

// rowOf is the row of m. What cannot be read keeps its place, its tenant, which
// the stream vouches for, and its bytes.
func rowOf(m Message) row {
	r, err := audit.Decode(m.Data)
	if err != nil {
		r = audit.Record{}
	}
	res := row{
		Seq: int64(m.Seq), Tenant: key(m.Tenant), Time: r.Time.UnixMicro(),
		TraceID: key(r.TraceID), CallID: key(r.CallID), Tool: key(r.Tool),
		User: key(r.User), Agent: key(r.Agent), Conversation: key(r.Conversation),
		Phase: key(string(r.Phase)), Record: m.Data,
	}
	if r.Decision != nil {
		res.Outcome = key(r.Decision.Outcome)
	}
	if r.Result != nil {
		res.Status, res.ErrorType = key(r.Result.Status), key(r.Result.ErrorType)
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
