package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/protocol"
)

// Data sends requests about personal data to workers, which hold it, and serves them.
//
// A request is a conversation between one dispatcher and one worker, in which each message
// is the reply to the one before. The worker decides what is next: it sends a piece of its
// output, requests a piece of the input, or reports that it still works; its last message
// is the answer. So a slow reader slows the worker down, nothing is stored between, and
// either side notices within [dataSilence] that the other is gone.
type Data struct{ *core }

// DataOp is the operation of a request about personal data.
type DataOp string

// The operations on personal data.
const (
	// DataHello returns only which database the worker has.
	DataHello DataOp = "hello"
	// DataExport writes the data of a person, DataImport reads it, DataDelete deletes it.
	DataExport DataOp = "export"
	DataImport DataOp = "import"
	DataDelete DataOp = "delete"
	// DataSummary returns how much is kept of a person, by collection.
	DataSummary DataOp = "summary"
	// DataTasks returns a page of scheduled tasks, DataTask one, DataEndTask deletes one.
	DataTasks   DataOp = "tasks"
	DataTask    DataOp = "task"
	DataEndTask DataOp = "end_task"
	// DataTimers returns a page of the timers that the tasks of every tenant need.
	DataTimers DataOp = "timers"
	// DataServiceTest tests an entry of a service, whose name is in Service and whose label
	// is in ID.
	DataServiceTest DataOp = "service_test"
	// DataFileList returns a page of the files of a person's workspace, DataFileGet writes
	// one, DataFilePut reads and stores one, DataFileDelete removes one.
	DataFileList   DataOp = "file_list"
	DataFileGet    DataOp = "file_get"
	DataFilePut    DataOp = "file_put"
	DataFileDelete DataOp = "file_delete"
	// DataPolicy returns the rules by which the worker decides, DataPolicyExplain how it would
	// decide about the call in Policy. They concern no person's data, and take the same way.
	DataPolicy        DataOp = "policy"
	DataPolicyExplain DataOp = "policy_explain"
)

// DataRequest is a request about personal data.
type DataRequest struct {
	Op DataOp `json:"op"`
	// Tenant is in the subject; for DataTimers it is [subject.System]. Person may be empty
	// in requests about tasks: then they are those of the tenant.
	Tenant  string `json:"-"`
	Person  string `json:"person,omitempty"`
	Format  string `json:"format,omitempty"`
	Replace bool   `json:"replace,omitempty"`
	ID      string `json:"id,omitempty"`
	Service string `json:"service,omitempty"`
	// Version is that of the entry which DataServiceTest tests: a worker that does not have
	// it yet waits for it.
	Version string `json:"version,omitempty"`
	After   string `json:"after,omitempty"`
	Limit   int    `json:"limit,omitempty"`
	// Policy is the question of DataPolicyExplain.
	Policy *protocol.PolicyQuestion `json:"policy,omitempty"`
	// File is set in requests about files. They go to the workers with the workspaces of
	// the pool, and with Home to the worker whose lane it is.
	File *FileRequest `json:"file,omitempty"`
	Home string       `json:"-"`
}

// FileRequest is a request about the files of a workspace.
type FileRequest struct {
	Path string `json:"path"`
	// Header has the conditions and the range of the HTTP request, Head is set for HEAD.
	Header map[string]string `json:"header,omitempty"`
	Head   bool              `json:"head,omitempty"`
	// After and Limit are the page of a list.
	After string `json:"after,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

// FileHead is the status and the headers of an answer about a file.
type FileHead struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
}

// DataAnswer is the end of a conversation about personal data.
type DataAnswer struct {
	// Store identifies the database: workers with the same one give the same.
	Store  string          `json:"store,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	// Kind and Message describe a failure; Kind is a [tool.Kind].
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
	// Refused means that this worker does not answer, and another may.
	Refused bool `json:"refused,omitempty"`
}

// TaskTimers is a page of timers, with the cursor of the next page if there is one.
type TaskTimers struct {
	Timers []TaskTimer `json:"timers,omitempty"`
	Next   string      `json:"next,omitempty"`
}

// TaskTimer is a timer that a task needs.
type TaskTimer struct {
	Tenant string    `json:"tenant"`
	Person string    `json:"person"`
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
}

const (
	// headerStep of a message of a worker is its purpose, one of the steps; of a message
	// of a dispatcher stepEnd means that the input ends with it, stepStop that the worker
	// is to give up.
	headerStep = "Helve-Step"
	stepWrite  = "write"
	stepRead   = "read"
	stepWorks  = "works"
	stepEnd    = "end"
	stepStop   = "stop"

	// dataPiece is the size of the pieces of input and output, in bytes.
	dataPiece = 256 << 10
	// dataSilence is the time after which a side that sends nothing is gone; a worker
	// sends something every dataBeat.
	dataSilence = 20 * time.Second
	dataBeat    = 4 * time.Second
	// dataTries is the number of workers that are requested while they refuse.
	dataTries = 10
)

// QueueData is the queue group in which the workers of a pool receive requests about
// personal data.
const QueueData = "helve-data"

// data is where the workers of a pool receive requests about personal data.
func (s Subjects) data(tenant, pool string) string { return s.Of(tenant, "data", pool) }

// files is where they receive requests about files; with a lane where its worker does.
func (s Subjects) files(tenant, pool, home string) string {
	if home == "" {
		return s.Of(tenant, "files", pool)
	}
	return s.Of(tenant, "files", pool, home)
}

func (s Subjects) dataOf(r *DataRequest, pool string) string {
	if r.File != nil {
		return s.files(r.Tenant, pool, r.Home)
	}
	return s.data(r.Tenant, pool)
}

// errDataGone means that no worker answers, or that the answering worker died.
var errDataGone = fmt.Errorf("%w: no worker answers for personal data", natsio.ErrUnavailable)

// Ask has a worker of a pool answer a request: it reads in, and writes to out. Both may be
// nil.
func (b *Data) Ask(ctx context.Context, pool string, r DataRequest, in io.Reader, out io.Writer) (DataAnswer, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return DataAnswer{}, err
	}
	for range dataTries {
		a, err := b.converse(ctx, &nats.Msg{Subject: b.subj.dataOf(&r, pool), Data: body}, in, out)
		if err != nil || !a.Refused {
			return a, err
		}
	}
	return DataAnswer{}, fmt.Errorf("%w: the workers of pool %s refuse", errDataGone, pool)
}

// Timers returns a page of the timers that tasks need.
func (b *Data) Timers(ctx context.Context, pool string, r DataRequest) (page TaskTimers, err error) {
	a, err := b.Ask(ctx, pool, r, nil, nil)
	switch {
	case err != nil:
		return page, err
	case a.Kind != "":
		return page, fmt.Errorf("a worker could not read the tasks: %s: %.300s", a.Kind, a.Message)
	}
	return page, json.Unmarshal(a.Result, &page)
}

func (b *Data) converse(ctx context.Context, next *nats.Msg, in io.Reader, out io.Writer) (a DataAnswer, err error) {
	piece := make([]byte, dataPiece)
	for {
		msg, err := b.say(ctx, next)
		if err != nil {
			b.stop(next.Subject)
			return a, fmt.Errorf("%w: %w", errDataGone, err)
		}
		step := msg.Header.Get(headerStep)
		if step == stepEnd {
			err := json.Unmarshal(msg.Data, &a)
			return a, err
		}
		if !inbox(msg.Reply) {
			return a, errors.New("the answer of a worker names no subject for its next part")
		}
		next = &nats.Msg{Subject: msg.Reply, Header: nats.Header{}}
		switch {
		case step == stepWrite && out != nil:
			_, err = out.Write(msg.Data)
		case step == stepRead && in != nil:
			var n int
			n, err = fill(in, piece)
			next.Data = piece[:n]
			if errors.Is(err, io.EOF) {
				next.Header.Set(headerStep, stepEnd)
				err = nil
			}
		case step != stepWorks:
			err = fmt.Errorf("%.20q is no step of a request about personal data", step)
		}
		if err != nil {
			b.stop(msg.Reply)
			return a, err
		}
	}
}

// fill reads until the piece is full or [dataBeat] has passed, so that a slow source does
// not look like a process that is gone.
func fill(in io.Reader, piece []byte) (n int, err error) {
	for begun := time.Now(); n < len(piece) && err == nil && time.Since(begun) < dataBeat; {
		var more int
		more, err = in.Read(piece[n:])
		n += more
	}
	return n, err
}

// stop has a worker give up, if it waits for a message.
func (b *Data) stop(to string) {
	if inbox(to) {
		_ = b.conn.NATS().PublishMsg(&nats.Msg{Subject: to, Header: nats.Header{headerStep: {stepStop}}}) // it notices later otherwise
	}
}

// say sends a message and waits for the next one of the other side.
func (b *Data) say(ctx context.Context, msg *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, dataSilence)
	defer cancel()
	return b.replies.Request(ctx, msg)
}

// inbox reports whether a subject that the other side chose is one for replies. A process
// may publish to nearly any subject, and must not be made to.
func inbox(subject string) bool { return strings.HasPrefix(subject, nats.InboxPrefix[:len("_INBOX")]) }
