package audit

import (
	"fmt"
	"time"

	"github.com/helve-dev/helve/protocol"
)

// MaxProblems is the maximum number of problems that a report lists.
const MaxProblems = 100

func addProblem(r *protocol.AuditReport, at Place, kind protocol.AuditProblemKind, detail string, args ...any) {
	if len(r.Problems) < MaxProblems {
		detail = fmt.Sprintf(detail, args...)
	}
	r.Add(protocol.AuditProblem{Seq: at.Seq, Part: at.Part, Kind: kind, Detail: detail})
}

// sealLate is the age at which an unsealed record is a problem.
const sealLate = time.Minute
