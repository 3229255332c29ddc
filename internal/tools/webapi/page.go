package webapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

// Limits on bodies, in bytes.
const (
	maxShown   = 100 << 10
	maxCounted = 5 << 20
	maxHTML    = 5 << 20
	sniffed    = 1024
)

// page is a body prepared for reading.
type page struct {
	text  string
	empty string // the note instead of an empty text, if any
	json  bool   // the server declares JSON
	cut   bool
	size  size // of the whole text, if cut
}

// size is a number of bytes that may be only a lower bound.
type size struct {
	n     int64
	exact bool
}

func (s size) String() string {
	switch {
	case s.exact:
		return fmt.Sprintf("%dKB", s.n>>10)
	case s.n >= maxCounted:
		return fmt.Sprintf(">%dMB", s.n>>20)
	default:
		return fmt.Sprintf(">%dKB", s.n>>10)
	}
}

func (s size) metadata() map[string]any {
	if s.exact {
		return map[string]any{"size": s.n}
	}
	return map[string]any{"size_at_least": s.n}
}

func readResponse(ctx context.Context, resp *http.Response, format string) (httpResponse, error) {
	p, err := readPage(ctx, resp, format)
	if err != nil {
		return httpResponse{}, err
	}
	return newResponse(resp, p), nil
}

func readPage(ctx context.Context, resp *http.Response, format string) (page, error) {
	r := bufio.NewReaderSize(resp.Body, sniffed)
	head, err := r.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return page{}, err
	}
	if len(head) == 0 {
		return page{}, nil
	}
	contentType := resp.Header.Get("Content-Type")
	media := mediaType(contentType, head)
	readable := format != "raw" && isMarkup(media, format, head)
	limit := int64(maxShown)
	if readable {
		limit = maxHTML
	}
	encoded := resp.Header.Get("Content-Encoding") // no longer correct after decompression
	if !isText(media) || encoded != "" && encoded != "identity" {
		return omitted(media, encoded, total(resp, r, 0)), nil
	}
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return page{}, err
	}
	p := page{json: isJSONType(media) && format != "text"}
	if int64(len(raw)) > limit {
		p.cut, p.size = true, total(resp, r, int64(len(raw)))
		raw = raw[:limit]
	}
	p.text = decode(raw, contentType, p.cut)
	switch {
	case strings.ContainsRune(p.text[:min(len(p.text), sniffed)], 0):
		return omitted("unknown type", "", total(resp, r, int64(len(raw)))), nil
	case readable:
		if err := p.makeReadable(ctx, resp); err != nil {
			return page{}, err
		}
	}
	p.shorten()
	return p, nil
}

// shorten cuts text to maxShown, at the end of a character.
func (p *page) shorten() {
	if len(p.text) <= maxShown {
		return
	}
	if !p.cut {
		p.cut, p.size = true, size{int64(len(p.text)), true}
	}
	p.text = textcut.Head(p.text, maxShown)
}

// total returns the size of a body of which seen bytes were read from r. If the server
// did not declare it, total reads on to count; a failure of this does not fail the
// answer.
func total(resp *http.Response, r io.Reader, seen int64) size {
	if resp.ContentLength >= seen {
		return size{resp.ContentLength, true}
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r, max(maxCounted-seen, 0)))
	n += seen
	return size{n, err == nil && n < maxCounted}
}

func omitted(media, encoding string, s size) page {
	if encoding != "" {
		media += ", encoded as " + encoding
	}
	bytes := fmt.Sprintf("%d bytes", s.n)
	if !s.exact {
		bytes = "more than " + bytes
	}
	return page{text: fmt.Sprintf("(binary response body omitted: %s, %s)", valid(media), bytes)}
}

// mediaType returns the server's media type, or a guess from the body if there is none.
func mediaType(contentType string, head []byte) string {
	media, _, _ := mime.ParseMediaType(contentType)
	if media == "" || media == "application/octet-stream" || media == "binary/octet-stream" {
		media, _, _ = mime.ParseMediaType(http.DetectContentType(head))
	}
	return media
}

var textTypes = []string{
	"application/ecmascript", "application/graphql", "application/javascript", "application/json", "application/jsonl", "application/ld+json",
	"application/ndjson", "application/problem+json", "application/sql", "application/toml", "application/x-javascript",
	"application/x-ndjson",
	"application/x-sh", "application/x-www-form-urlencoded", "application/x-yaml", "application/xml", "application/yaml", "message/http",
}

func isText(media string) bool {
	_, suffix, _ := strings.Cut(media, "+")
	return strings.HasPrefix(media, "text/") || slices.Contains(textTypes, media) || suffix == "json" || suffix == "xml" || suffix == "yaml"
}

func isJSONType(media string) bool {
	return media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json")
}

// isMarkup reports whether format requests the readable text of such a body.
func isMarkup(media, format string, head []byte) bool {
	if media == "text/html" || media == "application/xhtml+xml" {
		return true
	}
	return format == "text" && (strings.HasSuffix(media, "xml") || strings.HasPrefix(http.DetectContentType(head), "text/html"))
}
