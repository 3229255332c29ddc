package system

import "testing"

// Record is an audit record of the protocol.
type Record struct {
	Seq       uint64 `json:"seq"`
	Part      uint64 `json:"part"`
	Phase     string `json:"phase"`
	CallID    string `json:"call_id"`
	TraceID   string `json:"trace_id"`
	Tool      string `json:"tool"`
	User      string `json:"user"`
	By        string `json:"by"`
	ArgsHash  string `json:"args_hash"`
	ConsentID string `json:"consent_id"`
	Attempt   int    `json:"attempt"`
	Worker    string `json:"worker"`
	Decision  struct {
		Outcome string `json:"outcome"`
		Reason  string `json:"reason"`
		Rule    string `json:"rule"`
	} `json:"decision"`
	Result struct {
		Status    string `json:"status"`
		ErrorType string `json:"error_type"`
	} `json:"result"`
}

// Place returns a number that grows from record to record: a message holds up to 1,000.
func (r *Record) Place() uint64 { return r.Seq*1000 + r.Part }

// QueryRecords requests one page of audit.query.
func QueryRecords(t testing.TB, d Door, tenant string, params map[string]string) (all []Record, next string) {
	t.Helper()
	r := d.Ask(t, tenant, "audit.query", params, "")
	if r.Status != 200 {
		t.Fatalf("audit.query %v = %d %s", params, r.Status, r.Body)
	}
	page := Decode[struct {
		Records []Record `json:"records"`
		Next    string   `json:"next"`
	}](t, r)
	return page.Records, page.Next
}

// CallRecords returns the records of a call on the audit trail, in order.
func CallRecords(t testing.TB, d Door, tenant, callID string) []Record {
	t.Helper()
	r := d.Ask(t, tenant, "audit.query", map[string]string{"call_id": callID}, "")
	if r.Status != 200 {
		t.Fatalf("audit.query = %d %s", r.Status, r.Body)
	}
	return Decode[struct {
		Records []Record `json:"records"`
	}](t, r).Records
}

// RefusalRecord returns the record of a refused call, which is written after its answer.
func RefusalRecord(t testing.TB, d Door, tenant, callID string) Record {
	t.Helper()
	var records []Record
	Eventually(t, callID+" is on record", func() bool { records = CallRecords(t, d, tenant, callID); return len(records) > 0 })
	if len(records) != 1 || records[0].Phase != "refused" {
		t.Fatalf("the audit trail of %s has %+v, want one record, of a refusal", callID, records)
	}
	return records[0]
}

// Phases returns the phases of records, in their order.
func Phases(records []Record) []string {
	var all []string
	for _, r := range records {
		all = append(all, r.Phase)
	}
	return all
}
