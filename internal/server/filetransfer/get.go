package filetransfer

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/helve-dev/helve/internal/bus/peer"
	"github.com/helve-dev/helve/internal/lib/mediatype"
	"github.com/helve-dev/helve/tool"
)

// piece is the size of the pieces in which contents are sent. A reader takes at least one
// piece in the time after which a conversation ends, so it also bounds how slow a reader
// may be.
const piece = 64 << 10

// Get writes the head of the answer and then the contents, or the part of them that the
// request names, to out. Its error before the first byte is of type [*tool.Error].
func Get(files tool.FileReader, r *peer.FileRequest, out io.Writer) error {
	file, err := files.Open(r.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	contents, ok := file.(io.ReadSeeker)
	if !ok {
		return tool.Fail(tool.Unsupported, "the files of this worker cannot be read in parts")
	}
	w := &response{header: http.Header{}, out: bufio.NewWriterSize(out, piece)}
	w.header.Set("ETag", tagOf(info))
	w.header.Set("Content-Type", mediatype.ByName(r.Path))
	req := &http.Request{Method: http.MethodGet, Header: httpHeader(r.Header), URL: &url.URL{}}
	if r.Head {
		req.Method = http.MethodHead
	}
	http.ServeContent(w, req, "", info.ModTime(), contents)
	return w.end(r.Head)
}

// response writes the answer of [http.ServeContent] to out.
type response struct {
	header http.Header
	out    *bufio.Writer
	status int
	sent   int64
	err    error
}

// Header implements [http.ResponseWriter].
func (w *response) Header() http.Header { return w.header }

// answered are the headers that are sent.
var answered = []string{"Accept-Ranges", "Content-Length", "Content-Range", "Content-Type", "ETag", "Last-Modified"}

// WriteHeader implements [http.ResponseWriter].
func (w *response) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	head := peer.FileHead{Status: status, Header: map[string]string{}}
	for _, name := range answered {
		if value := w.header.Get(name); value != "" {
			head.Header[name] = value
		}
	}
	line, err := json.Marshal(head)
	if err == nil {
		_, err = w.out.Write(append(line, '\n'))
	}
	w.err = errors.Join(w.err, err)
}

// Write implements [http.ResponseWriter]. The text of a failure is left out.
func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.err != nil || w.status >= http.StatusBadRequest {
		return len(p), w.err
	}
	n, err := w.out.Write(p)
	w.sent += int64(n)
	w.err = errors.Join(w.err, err)
	return n, err
}

// end sends the rest, and returns an error if the contents are shorter than the head says.
func (w *response) end(headOnly bool) error {
	err := errors.Join(w.err, w.out.Flush())
	want, known := strconv.ParseInt(w.header.Get("Content-Length"), 10, 64)
	if err == nil && known == nil && !headOnly && w.status < http.StatusMultipleChoices && w.sent != want {
		err = fmt.Errorf("the file changed while it was read: %d of %d bytes were sent", w.sent, want)
	}
	return err
}
