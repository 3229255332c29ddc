package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/server/filetransfer"
	"github.com/helve-dev/helve/tool"
)

// fileServer answers requests about the files of workspaces, from dispatchers.
type fileServer struct {
	w      *Worker
	files  workspaces
	writer *filetransfer.Writer

	mu sync.Mutex
	// leave ends serving the lane that this worker has in a pool.
	leave map[string]context.CancelFunc
}

func newFileServer(w *Worker, files workspaces) *fileServer {
	return &fileServer{w: w, files: files, writer: filetransfer.NewWriter(), leave: map[string]context.CancelFunc{}}
}

// serve answers requests that any worker with the workspaces of a pool may answer, until
// life ends.
func (f *fileServer) serve(life context.Context) error {
	if f.w.queue.Conn.Apart() {
		return nil
	}
	for pool := range f.w.pools {
		if queue.BasePool(pool) != pool {
			continue // a person's machine
		}
		err := f.w.queue.Data.ServeFiles(life, pool, "",
			func(ctx context.Context, r queue.DataRequest, in io.Reader, out io.Writer) queue.DataAnswer {
				if f.w.member.FilesApart(pool) {
					return queue.DataAnswer{Refused: true}
				}
				return f.answer(ctx, r, in, out)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// serveHome answers the requests for persons that are bound to this worker, whose lane in
// the pool is home, until life ends or the worker has another lane.
func (f *fileServer) serveHome(life context.Context, pool, home string) error {
	if f.w.queue.Conn.Apart() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if leave := f.leave[pool]; leave != nil {
		leave()
	}
	var ctx context.Context
	ctx, f.leave[pool] = context.WithCancel(life)
	return f.w.queue.Data.ServeFiles(ctx, pool, home, f.answer)
}

func (f *fileServer) answer(ctx context.Context, r queue.DataRequest, in io.Reader, out io.Writer) queue.DataAnswer {
	var a queue.DataAnswer
	result, err := f.run(ctx, &r, in, out)
	if err == nil && result != nil {
		a.Result, err = json.Marshal(result)
	}
	if e := tool.AsError(err); e != nil {
		a.Kind, a.Message = string(e.Kind), e.Msg
		if e.Kind == tool.Internal {
			f.w.kit.Log.Error("request about files failed", zap.String("operation", string(r.Op)), zap.String("tenant", r.Tenant), zap.Error(err))
		}
	}
	return a
}

// run does what a request asks for. Its result is nil if the answer is in out.
func (f *fileServer) run(ctx context.Context, r *queue.DataRequest, in io.Reader, out io.Writer) (any, error) {
	files, err := f.files.For(r.Tenant, r.Person)
	if err != nil {
		return nil, err
	}
	owner := r.Tenant + "/" + r.Person
	switch r.Op {
	case queue.DataFileList:
		page, err := filetransfer.List(ctx, files, r.File)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(page)
		if err == nil {
			_, err = io.Copy(out, bytes.NewReader(body)) // a page may be larger than a message
		}
		return nil, err
	case queue.DataFileGet:
		return nil, filetransfer.Get(files, r.File, out)
	case queue.DataFilePut:
		return f.writer.Put(files, owner, r.File, in)
	case queue.DataFileDelete:
		return f.writer.Delete(files, owner, r.File, in)
	default:
		return nil, tool.Fail(tool.Unsupported,
			"this worker does not know the operation %.40q on files; start workers of the dispatcher's version", r.Op)
	}
}
