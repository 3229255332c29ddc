package filetransfer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/tool"
)

// Workspaces opens the workspace of a tenant's user.
type Workspaces interface {
	For(tenant, user string, within ...tool.Scopes) (tool.Files, error)
}

// ServerOptions holds what a [Server] needs.
type ServerOptions struct {
	Queue *queue.Queue
	Files Workspaces
	Pools []string
	// Apart reports whether only persons that are bound to this worker are answered for in a pool.
	Apart func(pool string) bool
	Log   *zap.Logger
}

// Server answers requests about the files of workspaces, from dispatchers.
type Server struct {
	ServerOptions

	writer *Writer

	mu sync.Mutex
	// leave ends serving the lane that this worker has in a pool.
	leave map[string]context.CancelFunc
}

// NewServer returns a server that answers nothing yet.
func NewServer(o ServerOptions) *Server {
	return &Server{ServerOptions: o, writer: NewWriter(), leave: map[string]context.CancelFunc{}}
}

// Serve answers requests that any worker with the workspaces of a pool may answer, until
// life ends.
func (s *Server) Serve(life context.Context) error {
	if s.Queue.Conn.Apart() {
		return nil
	}
	for _, pool := range s.Pools {
		if queue.BasePool(pool) != pool {
			continue // a person's machine
		}
		err := s.Queue.Data.ServeFiles(life, pool, "",
			func(ctx context.Context, r peer.DataRequest, in io.Reader, out io.Writer) peer.DataAnswer {
				if s.Apart(pool) {
					return peer.DataAnswer{Refused: true}
				}
				return s.answer(ctx, r, in, out)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// ServeHome answers the requests for persons that are bound to this worker, whose lane in
// the pool is home, until life ends or the worker has another lane.
func (s *Server) ServeHome(life context.Context, pool, home string) error {
	if s.Queue.Conn.Apart() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if leave := s.leave[pool]; leave != nil {
		leave()
	}
	var ctx context.Context
	ctx, s.leave[pool] = context.WithCancel(life)
	return s.Queue.Data.ServeFiles(ctx, pool, home, s.answer)
}

func (s *Server) answer(ctx context.Context, r peer.DataRequest, in io.Reader, out io.Writer) peer.DataAnswer {
	var a peer.DataAnswer
	result, err := s.run(ctx, &r, in, out)
	if err == nil && result != nil {
		a.Result, err = json.Marshal(result)
	}
	if e := tool.AsError(err); e != nil {
		a.Kind, a.Message = string(e.Kind), e.Msg
		if e.Kind == tool.Internal {
			s.Log.Error("request about files failed", zap.String("operation", string(r.Op)), zap.String("tenant", r.Tenant), zap.Error(err))
		}
	}
	return a
}

// run does what a request asks for. Its result is nil if the answer is in out.
func (s *Server) run(ctx context.Context, r *peer.DataRequest, in io.Reader, out io.Writer) (any, error) {
	files, err := s.Files.For(r.Tenant, r.Person)
	if err != nil {
		return nil, err
	}
	owner := r.Tenant + "/" + r.Person
	switch r.Op {
	case peer.DataFileList:
		page, err := List(ctx, files, r.File)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(page)
		if err == nil {
			_, err = io.Copy(out, bytes.NewReader(body)) // a page may be larger than a message
		}
		return nil, err
	case peer.DataFileGet:
		return nil, Get(files, r.File, out)
	case peer.DataFilePut:
		return s.writer.Put(files, owner, r.File, in)
	case peer.DataFileDelete:
		return s.writer.Delete(files, owner, r.File, in)
	default:
		return nil, tool.Fail(tool.Unsupported,
			"this worker does not know the operation %.40q on files; start workers of the dispatcher's version", r.Op)
	}
}
