package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"testing"
)

// zipOf returns a zip file with these names, each with its own name as contents.
func zipOf(tb testing.TB, names ...string) []byte {
	tb.Helper()
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for _, name := range names {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(f, name); err != nil && name[len(name)-1] != '/' {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return w.Bytes()
}

// tarOf returns a tar file with these headers, and their names as contents of files.
func tarOf(tb testing.TB, headers ...*tar.Header) []byte {
	tb.Helper()
	var w bytes.Buffer
	t := tar.NewWriter(&w)
	for _, h := range headers {
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(h.Name))
		}
		if err := t.WriteHeader(h); err != nil {
			tb.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(t, h.Name); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := t.Close(); err != nil {
		tb.Fatal(err)
	}
	return w.Bytes()
}

func gzipOf(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var w bytes.Buffer
	z := gzip.NewWriter(&w)
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return w.Bytes()
}
