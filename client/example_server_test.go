package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// routes maps methods and paths of the protocol to the bodies of their answers.
type routes map[string]string

// serve returns a server that answers the routes. A body with a number as its status is
// an error of the whole request, a problem of RFC 9457.
func (r routes) serve() *httptest.Server {
	mux := http.NewServeMux()
	for route, body := range r {
		mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) {
			var problem struct{ Status int }
			if json.Unmarshal([]byte(body), &problem) == nil && problem.Status != 0 {
				w.WriteHeader(problem.Status)
			}
			io.WriteString(w, body)
		})
	}
	return httptest.NewServer(mux)
}

// once returns a server that runs each call_id once and adds the runs to n: a call_id that
// is sent again gets the stored result.
func once(n *int) *httptest.Server {
	var mu sync.Mutex
	stored := map[string]string{}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Calls []struct {
				ID   string `json:"call_id"`
				Tool string `json:"tool"`
			} `json:"calls"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Calls) != 1 {
			http.Error(w, `{"status": 400, "error_type": "bad_request", "detail": "one call is expected"}`, http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		call := req.Calls[0]
		if stored[call.ID] == "" {
			*n++
			const result = `{"call_id": %q, "tool": %q, "status": "success", "state": "done", "result": {"run": %d}}`
			stored[call.ID] = fmt.Sprintf(result, call.ID, call.Tool, *n)
		}
		fmt.Fprintf(w, `{"results": [%s]}`, stored[call.ID])
	}))
}

// workspace returns a server that stores files as a dispatcher with workers does.
func workspace() *httptest.Server {
	var mu sync.Mutex
	files := map[string]string{}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/files/{path...}", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		path := r.PathValue("path")
		switch text, there := files[path]; {
		case r.Method == http.MethodPut:
			data, _ := io.ReadAll(r.Body)
			files[path] = string(data)
			w.WriteHeader(http.StatusCreated)
		case path == "":
			list := []map[string]any{}
			for _, name := range slices.Sorted(maps.Keys(files)) {
				list = append(list, map[string]any{"path": name, "size": len(files[name]), "modified": "2026-11-20T12:00:00Z"})
			}
			json.NewEncoder(w).Encode(map[string]any{"files": list})
		case there:
			io.WriteString(w, text)
		default:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, `{"status": 404, "error_type": "not_found", "detail": "there is no file `+path+`"}`)
		}
	})
	return httptest.NewServer(mux)
}
