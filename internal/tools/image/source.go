package image

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// maxBytes is the size of the largest encoded picture that is read, from any source, and
// maxSent that of the largest that is sent to a model.
const (
	maxBytes = 25 << 20
	maxSent  = 10 << 20
)

// source is an encoded picture.
type source struct {
	// shown is its name in results: the path or address, never its contents.
	shown string
	// name is the workspace path from which the name of a created file is derived.
	name string
	data []byte
}

// load reads the picture at ref, of at most the given number of bytes: a path of the
// workspace, an http(s) address, a data: URL, or base64.
func load(ctx context.Context, call *tool.Call, ref string, most int) (source, error) {
	scheme, rest, _ := strings.Cut(ref, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		return fetch(ctx, call.HTTP, ref, most)
	case "data":
		return inline(rest, most)
	}
	if data, ok := bare(ref); ok {
		return source{shown: "base64", name: "image", data: data}, bounded(data, most)
	}
	f, err := call.Files.Open(ref)
	if err != nil {
		return source{}, err
	}
	defer f.Close()
	data, err := readAll(ctx, f, most)
	return source{shown: ref, name: path.Clean(ref), data: data}, err
}

// readAll reads up to the limit, and stops when the call ends.
func readAll(ctx context.Context, r io.Reader, most int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(&interruptible{ctx, r}, int64(most)+1))
	if err != nil {
		return nil, err
	}
	return data, bounded(data, most)
}

func bounded(data []byte, most int) error {
	if len(data) > most {
		return tool.Fail(tool.FileTooLarge, "The image is larger than %d MiB; use a smaller one.", most>>20)
	}
	return nil
}

func fetch(ctx context.Context, client tool.HTTP, address string, most int) (source, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || u.Hostname() == "":
		return source{}, tool.Fail(tool.ValidationError,
			"The image's address is not a URL; give a full one that begins with https://.").Because(err)
	case u.User != nil:
		return source{}, tool.Fail(tool.ValidationError, "The image's address holds a user name or password; give one without.")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return source{}, tool.Fail(tool.ValidationError,
			"The image's address is not a URL; give a full one that begins with https://.").Because(err)
	}
	req.Header.Set("User-Agent", "Helve")
	req.Header.Set("Accept", "image/*")
	resp, err := client.Do(req)
	if err != nil {
		return source{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return source{}, tool.Fail(tool.NetworkError, "The image could not be fetched: the server answered %d; check the address.",
			resp.StatusCode)
	}
	data, err := readAll(ctx, resp.Body, most)
	return source{shown: address, name: fileName(u.Path), data: data}, err
}

// fileName derives a workspace file name from the path of an address.
func fileName(urlPath string) string {
	base := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`\/:*?"<>|`, r) {
			return '_'
		}
		return r
	}, path.Base(urlPath))
	base = textcut.Tail(base, 100) // the end holds the extension
	base = strings.TrimLeft(base, ".-_")
	if base == "" {
		return "image"
	}
	return base
}

// inline decodes the part of a data URL after "data:" (RFC 2397).
func inline(rest string, most int) (source, error) {
	kind, payload, ok := strings.Cut(rest, ",")
	if !ok {
		return source{}, tool.Fail(tool.ValidationError, "The data: URL has no comma; it must be data:image/png;base64,…")
	}
	coded, isBase64 := strings.CutSuffix(strings.TrimSpace(kind), ";base64")
	var data []byte
	var err error
	if isBase64 {
		data, err = decodeBase64(payload)
	} else {
		var text string
		text, err = url.PathUnescape(payload)
		data = []byte(text)
	}
	if err != nil {
		return source{}, tool.Fail(tool.ValidationError, "The data: URL is damaged: what follows the comma cannot be decoded.").Because(err)
	}
	return source{shown: "data:" + textcut.Clip(coded, 60), name: "image", data: data}, bounded(data, most)
}

// bare decodes ref as base64 only if it begins like a picture: otherwise it may be a
// path.
func bare(ref string) ([]byte, bool) {
	const enough = 64
	if len(ref) < enough {
		return nil, false
	}
	head, err := decodeBase64(ref[:enough])
	if err != nil || kindOf(head) == "" {
		return nil, false
	}
	data, err := decodeBase64(ref)
	return data, err == nil
}

// decodeBase64 accepts both alphabets, with or without padding and line breaks.
func decodeBase64(s string) ([]byte, error) {
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "\t", "", "=", "", "%3D", "", "%2B", "+", "%2F", "/").Replace(s)
	return base64.RawStdEncoding.DecodeString(s)
}
