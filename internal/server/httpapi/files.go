package httpapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/helve-dev/helve/internal/identity"
	"github.com/helve-dev/helve/internal/server/api"
)

const (
	filesPath = "/v1/files/"
	// maxTransfers is the number of files that one credential may transfer at a time.
	maxTransfers = 16
	// uploadTime bounds an upload.
	uploadTime = 15 * time.Minute
)

// files serves the paths of files. It stands before the mux, which redirects paths such as
// a/../b: here they are refused.
func (h *handler) files(next http.Handler) http.Handler {
	list := h.operation(api.Find(api.FilesList))
	all := methods{
		http.MethodGet: h.asked(api.Find(api.FilesGet), func(w http.ResponseWriter, r *http.Request, by identity.Principal) {
			if name := r.PathValue("path"); name == "" || strings.HasSuffix(name, "/") {
				list(w, r, by)
				return
			}
			h.getFile(w, r, by)
		}),
		http.MethodPut:    h.asked(api.Find(api.FilesPut), h.putFile),
		http.MethodDelete: h.asked(api.Find(api.FilesDelete), h.deleteFile),
	}
	all[http.MethodHead] = all[http.MethodGet]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, filesPath)
		if !ok && r.URL.Path != strings.TrimSuffix(filesPath, "/") {
			next.ServeHTTP(w, r)
			return
		}
		r.SetPathValue("path", name)
		all.ServeHTTP(w, r)
	})
}

// fileOf returns the file that a request names, and counts the transfer until end is
// called.
func (h *handler) fileOf(name string, r *http.Request, by identity.Principal) (at api.FileAt, end func(), err error) {
	op := api.Find(name)
	in := api.Input{Tenant: by.Tenant, By: by}
	if in.Params, err = params(r, op); err != nil {
		return at, nil, err
	}
	if at, err = h.svc.File(op, in, r.Header); err != nil {
		return at, nil, err
	}
	end, err = h.transfers.begin(payer(r, by))
	if failure, ok := errors.AsType[*api.RequestError](err); ok {
		failure.Msg = "this credential transfers as many files as it may at a time; try again when one is done"
	}
	return at, end, err
}

func (h *handler) getFile(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	at, end, err := h.fileOf(api.FilesGet, r, by)
	if err != nil {
		writeProblem(w, err)
		return
	}
	defer end()
	begun := false
	out := pieces{w, http.NewResponseController(w), h.Patience}
	err = h.svc.GetFile(r.Context(), by, at, r.Method == http.MethodHead, func(head api.FileHead) {
		begun = true
		writeFileHead(w, at.Path, head)
	}, out)
	switch {
	case err != nil && begun:
		h.Log.Info("file not sent completely", zap.String("tenant", at.Tenant), zap.Error(err))
		panic(http.ErrAbortHandler) // the answer must not look complete
	case err != nil:
		h.fileFailed(w, at, err)
	default:
		_ = out.control.Flush() // a client that left is no failure
		_ = out.control.SetWriteDeadline(time.Time{})
	}
}

// writeFileHead sends the head of an answer with a file. The browser must not run what
// somebody has stored as a page of this server, so it is an attachment.
func writeFileHead(w http.ResponseWriter, name string, from api.FileHead) {
	head := w.Header()
	for key, value := range from.Header {
		head.Set(key, value)
	}
	switch from.Status {
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
		head.Del("Content-Length")
		writeProblem(w, conditionFailed(from.Status))
		return
	case http.StatusOK, http.StatusPartialContent:
		if disposition := mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}); disposition != "" {
			head.Set("Content-Disposition", disposition)
		}
		head.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	}
	head.Set("Cache-Control", "private, no-cache")
	head.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(from.Status)
}

func conditionFailed(status int) *api.RequestError {
	e := &api.RequestError{Type: "bad_request", Status: status, Msg: "the file has no such range; Content-Range has its size"}
	if status == http.StatusPreconditionFailed {
		e.Type, e.Msg = "conflict", "the file is not, or no longer, as the condition of the request asks; get it again"
	}
	return e
}

// fileFailed sends the failure of a request, and logs a cause that the caller must not see.
func (h *handler) fileFailed(w http.ResponseWriter, at api.FileAt, err error) {
	failure, expected := api.AsRequestError(err)
	if !expected {
		h.Log.Warn("file not transferred", zap.String("tenant", at.Tenant), zap.Error(err))
	}
	writeProblem(w, failure)
}

func (h *handler) putFile(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	at, end, err := h.fileOf(api.FilesPut, r, by)
	if err != nil {
		writeProblem(w, err)
		return
	}
	defer end()
	switch {
	case at.Path == "" || strings.HasSuffix(at.Path, "/"):
		err = api.BadRequest("the path names a directory; name the file to write")
	case r.Header.Get("Content-Range") != "":
		err = api.BadRequest("a part of a file cannot be written; send the complete file")
	case r.ContentLength > h.MaxFile:
		err = tooLargeFile(h.MaxFile)
	}
	if err != nil {
		writeProblem(w, err)
		return
	}
	paid, err := h.budget.open(payer(r, by))
	if err != nil {
		writeProblem(w, err)
		return
	}
	defer paid.close()
	in, err := decoded(r, int(h.MaxFile))
	if err != nil {
		writeProblem(w, err)
		return
	}
	body := &upload{
		in:       in,
		left:     h.MaxFile,
		most:     h.MaxFile,
		control:  http.NewResponseController(w),
		patience: h.Patience,
		until:    time.Now().Add(uploadTime),
	}
	head, err := h.svc.PutFile(context.WithoutCancel(r.Context()), by, at, body)
	if body.failed != nil {
		_ = body.control.SetReadDeadline(time.Now().Add(h.Patience)) // for what net/http discards
		err = body.failed
	}
	h.answerFile(w, at, head, err)
}

func tooLargeFile(most int64) error {
	return api.TooLarge("the file is larger than %d bytes, the limit of http.max_file", most)
}

func (h *handler) deleteFile(w http.ResponseWriter, r *http.Request, by identity.Principal) {
	at, end, err := h.fileOf(api.FilesDelete, r, by)
	if err != nil {
		writeProblem(w, err)
		return
	}
	defer end()
	var head api.FileHead
	if at.Path = strings.TrimRight(at.Path, "/"); at.Path == "" {
		err = api.BadRequest("the path is empty; name the file to delete")
	} else {
		head, err = h.svc.DeleteFile(context.WithoutCancel(r.Context()), by, at)
	}
	h.answerFile(w, at, head, err)
}

// answerFile sends the answer to a change.
func (h *handler) answerFile(w http.ResponseWriter, at api.FileAt, head api.FileHead, err error) {
	if tag := head.Header["ETag"]; tag != "" {
		w.Header().Set("ETag", tag)
	}
	switch {
	case err != nil:
		h.fileFailed(w, at, err)
	case head.Status == http.StatusPreconditionFailed:
		writeProblem(w, conditionFailed(head.Status))
	default:
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(head.Status)
	}
}

// upload reads the body of a request. The client must send something within each patience,
// all of it within a limit of time, and no more than a limit of bytes.
type upload struct {
	in         io.Reader
	left, most int64
	control    *http.ResponseController
	patience   time.Duration
	until      time.Time
	// failed is the reason why the body was not read to its end; it is nobody else's.
	failed error
}

// Read implements [io.Reader].
func (u *upload) Read(p []byte) (int, error) {
	deadline := time.Now().Add(u.patience)
	if deadline.After(u.until) {
		deadline = u.until
	}
	_ = u.control.SetReadDeadline(deadline) // if the connection supports deadlines
	n, err := u.in.Read(p)
	switch u.left -= int64(n); {
	case u.left < 0:
		u.failed = tooLargeFile(u.most)
	case errors.Is(err, io.EOF):
		_ = u.control.SetReadDeadline(time.Time{}) // the worker may need longer for the rest
		return n, io.EOF
	case err != nil:
		u.failed = unreadable(err)
	}
	if u.failed != nil {
		return 0, u.failed
	}
	return n, nil
}
