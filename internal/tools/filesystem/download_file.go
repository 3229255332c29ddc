package filesystem

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxDownload is the size of the largest file that is downloaded, in bytes.
const maxDownload = 50 << 20

type downloadArgs struct {
	URL       string `json:"url" min:"1" max:"16384" doc:"Full address, http:// or https://."`
	Path      string `json:"path" alias:"outputPath" doc:"File to make, relative to the workspace; or a directory, ending in a slash, for a file named as the server says. Missing directories are made."`
	Overwrite bool   `json:"overwrite" default:"false" doc:"Replace a file that is there already."`
}

type downloadResult struct {
	Success     bool   `json:"success"`
	URL         string `json:"url"`
	Path        string `json:"path"`
	Size        int64  `json:"size"`
	ContentType string `json:"contentType" doc:"As the server says; empty if it does not."`
}

var _ = tool.Add(Set, tool.Spec[downloadArgs, *downloadResult]{
	Name:        "download_file",
	Description: "Fetch a file of up to 50 MB from a public web address into the workspace, and return its path, size and content type.",
	Tags:        []string{"download", "fetch", "get file", "url", "http", "save", "wget", "curl"},
	Example:     `{"url":"https://example.com/","path":"example.html"}`,
	Risk:        tool.Medium,
	Mutates:     true,
	Repeats:     func(a downloadArgs) bool { return a.Overwrite },
	OpenWorld:   true,
	Scopes:      tool.Scopes{Paths: []string{"workspace"}, Hosts: []string{"*"}},
	Needs:       tool.NeedFiles | tool.NeedHTTP,
	Errors:      []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.FileTooLarge, tool.NetworkError, tool.ExecutionError},
	Timeout:     2 * time.Minute,
	Changes: func(_ context.Context, _ *tool.Call, args downloadArgs) ([]tool.Change, error) {
		return tool.Replaces(args.Path), nil
	},
	Run: downloadFile,
})

func downloadFile(ctx context.Context, call *tool.Call, args downloadArgs) (*downloadResult, error) {
	req, err := request(ctx, args.URL)
	if err != nil {
		return nil, err
	}
	info, err := call.Files.Stat(args.Path)
	intoDir := err == nil && info.IsDir() || missing(err) && strings.HasSuffix(args.Path, "/")
	switch {
	case err != nil && !missing(err):
		return nil, err
	case err == nil && !intoDir && !args.Overwrite: // before the request is sent
		return nil, thereAlready(args.Path)
	}
	resp, err := call.HTTP.Do(req)
	if err != nil {
		return nil, unanswered(err)
	}
	defer func() { _ = resp.Body.Close() }() // everything that matters has been read
	tooLarge := tool.Fail(tool.FileTooLarge, "The file is larger than %d bytes (50MB), the most that is downloaded.", maxDownload)
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, tool.Fail(tool.NetworkError, "The server answered %s; nothing was saved. Check the address.", status(resp))
	case resp.ContentLength > maxDownload:
		return nil, tooLarge
	}
	to := args.Path
	if intoDir {
		to = path.Join(args.Path, nameOf(resp))
	}
	res := &downloadResult{Success: true, URL: args.URL, Path: to, ContentType: strings.ToValidUTF8(resp.Header.Get("Content-Type"), "\ufffd")}
	in := &bounded{r: &interruptible{ctx: ctx, r: resp.Body}, left: maxDownload, excess: tooLarge}
	const mode = 0o644
	err = inDirectory(call.Files, to, func() (err error) {
		if _, there := call.Files.Lstat(to); there == nil && !args.Overwrite {
			return thereAlready(to)
		}
		res.Size, err = putFile(call.Files, to, mode, in, args.Overwrite)
		return err
	})
	if failed := tool.AsError(err); failed != nil && failed.Kind == tool.NetworkError {
		return nil, tool.Fail(tool.NetworkError, "The connection ended before the whole file had come, so nothing was saved: "+
			"call again, or get the file from another address.").Because(err)
	}
	if err != nil {
		return nil, err
	}
	return res, nil
}

// unanswered returns the error for a request without an answer, with what to do.
func unanswered(err error) error {
	failed := tool.AsError(err)
	if failed.Kind != tool.NetworkError {
		return err
	}
	what := strings.TrimSuffix(failed.Msg, ".")
	if strings.HasPrefix(what, "HTTP request failed") { // the wrapped cause is for operators
		what = "The server ended the connection or did not answer as a web server does"
	}
	return tool.Fail(tool.NetworkError, "%s, so nothing was saved: check the address, or call again later.", what).Because(err)
}

func thereAlready(to string) error {
	return tool.Fail(tool.ValidationError, "The file exists already: %s; set overwrite to true to replace it, or choose another path.", to)
}

func request(ctx context.Context, raw string) (*http.Request, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: give a full address that begins with http:// or https://.").Because(err)
	case u.User != nil:
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: it holds a user name or password, which is not sent.")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, tool.Fail(tool.ValidationError, "Invalid URL: give a full address that begins with http:// or https://.").Because(err)
	}
	req.Header.Set("User-Agent", "Helve")
	return req, nil
}

// status returns the status line without text from the server.
func status(resp *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
}

// nameOf returns a file name: the one from the server, otherwise the last segment of
// the address.
func nameOf(resp *http.Response) string {
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil {
		if name := plainName(params["filename"]); name != "" {
			return name
		}
	}
	if resp.Request != nil {
		if name := plainName(resp.Request.URL.Path); name != "" {
			return name
		}
	}
	return "download"
}

// maxName is the longest name in bytes that every file system accepts.
const maxName = 255

// plainName turns an untrusted name into a plain file name, visible and of limited
// length. It returns "" if nothing remains.
func plainName(name string) string {
	slashed := strings.ReplaceAll(name, `\`, "/")
	name = slashed[strings.LastIndexByte(slashed, '/')+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, !unicode.IsPrint(r):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimRight(strings.TrimLeft(name, ". "), ". ")
	if len(name) <= maxName {
		return name
	}
	end := path.Ext(name)
	if len(end) > 16 {
		end = ""
	}
	return textcut.Head(name, maxName-len(end)) + end
}
