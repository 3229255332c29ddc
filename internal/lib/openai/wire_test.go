package openai

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

// with returns a client of a server, whose entry has the given fields, and its call.
func with(t *testing.T, fields map[string]string, handler http.HandlerFunc) (*Client, *tool.Call) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	data := map[string]string{"base_url": server.URL + "/v1/", "api_key": "secret-key"}
	maps.Copy(data, fields)
	call := &tool.Call{HTTP: patient{t, server.Client()}, Clock: tooltest.Clock{}, Secrets: accounts{{Active: true, Data: data}}}
	c, err := Open(t.Context(), call, "to test")
	if err != nil {
		t.Fatal(err)
	}
	return c, call
}

// patient is a port for requests that a model may work on for minutes.
type patient struct {
	*testing.T

	client *http.Client
}

func (p patient) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && !tool.Patient(r.Context()) {
		p.Errorf("%s would be given up although the model works on it", r.URL)
	}
	return p.client.Do(r)
}

// form returns the fields of a form, a file as its name, type and contents.
func form(t *testing.T, r *http.Request) map[string]string {
	t.Helper()
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		t.Error(err)
		return nil
	}
	got := map[string]string{}
	for name, values := range r.MultipartForm.Value {
		got[name] = fmt.Sprint(values[0])
		if len(values) != 1 {
			t.Errorf("%s is there %d times", name, len(values))
		}
	}
	for name, files := range r.MultipartForm.File {
		f, err := files[0].Open()
		if err != nil {
			t.Error(err)
			continue
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		got[name] = fmt.Sprintf("%s %s %s", files[0].Filename, files[0].Header.Get("Content-Type"), data)
	}
	return got
}

// spent returns the usage that a call has reported, as the result's metadata would have it.
func spent(call *tool.Call) string {
	set := tool.NewSet("Tests", "tests")
	tl := tool.Add(set, tool.Spec[struct{}, string]{
		Name:        "spend",
		Description: "Tests.",
		Risk:        tool.Low,
		Timeout:     time.Second,
		Run:         func(context.Context, *tool.Call, struct{}) (string, error) { return "", nil },
	})
	inv, err := tl.Bind([]byte("{}"))
	if err != nil {
		return err.Error()
	}
	res, err := inv.Run(context.Background(), call)
	if err != nil || len(res.Usage) == 0 {
		return ""
	}
	u := res.Metadata["usage"].(map[string]any)
	return fmt.Sprintf("%v %v %v", u["input_tokens"], u["output_tokens"], u["model"])
}
