package protocol

// AuditProblemKind is the kind of a problem in an audit trail.
type AuditProblemKind string

// The kinds of problems in a trail.
const (
	// ProblemChanged: the record differs from what was sealed.
	ProblemChanged AuditProblemKind = "changed"
	// ProblemMissing: a sealed or counted record is absent.
	ProblemMissing AuditProblemKind = "missing"
	// ProblemAdded: a record is at a place that the seal lists as empty.
	ProblemAdded AuditProblemKind = "added"
	// ProblemReordered: the record was sealed at another place.
	ProblemReordered AuditProblemKind = "reordered"
	// ProblemForeign: the bytes are not a record, or the record is of another tenant or
	// tool than its subject names.
	ProblemForeign AuditProblemKind = "foreign"
	// ProblemForged: the record was not written by the process that it names, as far as a key
	// proves it.
	ProblemForged AuditProblemKind = "forged"
	// ProblemCutOff: the trail ends before the last sealed record.
	ProblemCutOff AuditProblemKind = "cut_off"
	// ProblemSealMissing: a seal is missing from the chain.
	ProblemSealMissing AuditProblemKind = "seal_missing"
	// ProblemSealForged: a seal is not signed with a trusted key, or does not follow
	// from the seal before it.
	ProblemSealForged AuditProblemKind = "seal_forged"
	// ProblemSealChanged: a seal cannot be read, or differs from what was signed.
	ProblemSealChanged AuditProblemKind = "seal_changed"
	// ProblemIndexChanged: the index holds a different record than the stream at this
	// place, or indexes it under values that the record does not have.
	ProblemIndexChanged AuditProblemKind = "index_changed"
	// ProblemIndexMissing: a record of the stream was copied into the index and is
	// missing there.
	ProblemIndexMissing AuditProblemKind = "index_missing"
	// ProblemIndexExtra: the index holds a record that the stream does not hold.
	ProblemIndexExtra AuditProblemKind = "index_extra"
	// ProblemIndexBehind: the index was not compared to the end of the stream, because
	// it has not been copied that far.
	ProblemIndexBehind AuditProblemKind = "index_behind"
	// ProblemUnsealed: the record should have been sealed long ago.
	ProblemUnsealed AuditProblemKind = "unsealed"
)

// AuditProblem is one problem in a trail.
type AuditProblem struct {
	Seq    uint64           `json:"seq" doc:"The stream sequence; 0 if there is none."`
	Part   int              `json:"part,omitzero" doc:"The record's number in the message at that place, from 0; absent for 0."`
	Kind   AuditProblemKind `json:"kind" doc:"What is wrong."`
	Detail string           `json:"detail" doc:"The problem in one sentence."`
}

// AuditReport is the result of verifying a trail.
type AuditReport struct {
	OK       bool           `json:"ok" doc:"true if no problem was found."`
	Records  uint64         `json:"records" doc:"The number of records that were checked."`
	SealedTo uint64         `json:"sealed_to" doc:"The last stream sequence that a valid seal covers."`
	Problems []AuditProblem `json:"problems" doc:"The first problems found, at most 100."`
	Found    uint64         `json:"problem_count" doc:"The number of problems."`
	Unproven uint64         `json:"unproven_count,omitzero" doc:"The number of sealed records of which the dispatcher that sealed them could not tell who wrote them, as the writer did not know that dispatcher."`
	FromSeq  uint64         `json:"from_seq,omitzero" doc:"Of a range: the stream sequence with which its first seal begins."`
	ToSeq    uint64         `json:"to_seq,omitzero" doc:"Of a range: the stream sequence with which its last seal ends."`
	KeyIDs   []string       `json:"key_ids,omitempty" doc:"The ids of the keys that signed the valid seals: the first 8 bytes of the SHA-256 hash of the public key."`
}

// AuditPage answers audit.query. The oldest record is first.
type AuditPage struct {
	Records []AuditRecord `json:"records" doc:"The records."`
	Next    string        `json:"next,omitempty" doc:"The cursor of the next page; absent if there is none yet."`
	Older   string        `json:"older,omitempty" doc:"With newest: the value of before for the page before this one; absent if there is none."`
}

// ExportPage answers audit.export.
type ExportPage struct {
	Lines []string `json:"lines" doc:"Lines of the export."`
	Next  string   `json:"next,omitempty" doc:"The cursor of the next page; absent at the end."`
}

// RebuiltIndex answers audit.rebuild.
type RebuiltIndex struct {
	Repaired []AuditProblem `json:"repaired" doc:"The first differences that were repaired, at most 100."`
	Count    uint64         `json:"repaired_count" doc:"The number of differences."`
}

// maxProblems is the maximum number of problems that a report lists.
const maxProblems = 100

// Add counts a problem and lists it if there is room.
func (r *AuditReport) Add(p AuditProblem) {
	r.OK = false
	r.Found++
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, p)
	}
}
