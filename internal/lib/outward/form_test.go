package outward

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/helve-dev/helve/tool"
)

// TestForm: a form arrives as RFC 7578 has it, with its length announced, and a file's name
// cannot add a header.
func TestForm(t *testing.T) {
	c := at(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
			return
		}
		f, head, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		data, err := io.ReadAll(f)
		if err != nil || r.ContentLength <= 0 || len(head.Header) != 2 || head.Header.Get("Content-Type") != "audio/wav" {
			t.Errorf("%v, length %d, headers %v", err, r.ContentLength, head.Header)
		}
		_, _ = fmt.Fprintf(w, `"%s %s %d %s"`, r.FormValue("model"), r.FormValue("prompt"), len(r.MultipartForm.Value), data)
	})
	form := &Form{
		Files: []File{{Field: "file", Name: "a\"\r\nX-Evil: 1.wav", Type: "audio/wav", Size: 4, Data: strings.NewReader("RIFF and more")}},
	}
	form.Add("model", "m")
	form.Add("prompt", "two\nlines é")
	form.Add("language", "")
	var got string
	if err := c.JSON(t.Context(), Request{Method: http.MethodPost, Path: "x", Form: form}, &got); err == nil ||
		!strings.Contains(err.Error(), "makes no sense") {
		t.Errorf("a line break in a JSON string: %v", err)
	}
	form.Files[0].Data, form.Fields[1].Value = strings.NewReader("RIFF and more"), "é"
	if err := c.JSON(t.Context(), Request{Method: http.MethodPost, Path: "x", Form: form}, &got); err != nil || got != "m é 2 RIFF" {
		t.Errorf("form = %q, %v", got, err)
	}
}

// TestFormShortFile: a file that became shorter ends the request with an error of its own.
func TestFormShortFile(t *testing.T) {
	c := at(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	form := &Form{Files: []File{{Field: "file", Name: "a", Type: "audio/wav", Size: 9, Data: strings.NewReader("RIFF")}}}
	_, err := c.Bytes(t.Context(), Request{Method: http.MethodPost, Form: form})
	if e := tool.AsError(err); e == nil || e.Kind != tool.ExecutionError || !strings.Contains(e.Msg, "shorter") {
		t.Errorf("error %v, want execution_error about the file", err)
	}
}
