package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user and the group of the programs, as in other images without a shell.
const user = 65532

// files writes a layer.
type files struct {
	tar  *tar.Writer
	time time.Time
	made map[string]bool
}

// dir adds a directory and those above it.
func (f *files) dir(name string, mode int64, owner int) error {
	if name == "." || name == "/" || f.made[name] {
		return nil
	}
	if err := f.dir(path.Dir(name), 0o755, 0); err != nil {
		return err
	}
	f.made[name] = true
	return f.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeDir,
		Name:     name + "/",
		Mode:     mode,
		Uid:      owner,
		Gid:      owner,
		ModTime:  f.time,
		Format:   tar.FormatPAX,
	})
}

func (f *files) file(name string, mode int64, content []byte) error {
	if err := f.dir(path.Dir(name), 0o755, 0); err != nil {
		return err
	}
	err := f.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg,
		Name:     name,
		Mode:     mode,
		Size:     int64(len(content)),
		ModTime:  f.time,
		Format:   tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	_, err = f.tar.Write(content)
	return err
}

// layer returns the layer that write fills.
func layer(at time.Time, write func(*files) error) (v1.Layer, error) {
	var buffer bytes.Buffer
	f := &files{tar: tar.NewWriter(&buffer), time: at, made: map[string]bool{}}
	if err := write(f); err != nil {
		return nil, err
	}
	if err := f.tar.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithMediaType(types.OCILayer))
}

// baseLayer returns the layer that all images share: the user, authorities, time zones and
// the directories that a program may write if they are volumes.
func baseLayer(at time.Time) (v1.Layer, error) {
	return layer(at, func(f *files) error {
		for _, file := range []struct{ name, text string }{
			{"etc/passwd", fmt.Sprintf("root:x:0:0:root:/root:/sbin/nologin\nhelve:x:%d:%d:helve:/var/lib/helve:/sbin/nologin\n", user, user)},
			{"etc/group", fmt.Sprintf("root:x:0:\nhelve:x:%d:\n", user)},
			{"etc/nsswitch.conf", "hosts: files dns\n"},
			{"etc/ssl/certs/ca-certificates.crt", authorities()},
		} {
			if err := f.file(file.name, 0o644, []byte(file.text)); err != nil {
				return err
			}
		}
		if err := f.dir("tmp", 0o1777, 0); err != nil {
			return err
		}
		if err := f.dir("var/lib/helve", 0o700, user); err != nil {
			return err
		}
		return zones(f)
	})
}

// authorities returns the root certificates of Mozilla that hold without further conditions.
func authorities() string {
	var all strings.Builder
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a Builder does not fail
		}
	}
	return all.String()
}

// zones adds the time zones of the Go that builds, which programs of the C library read.
func zones(f *files) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	z, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return err
	}
	defer z.Close()
	for _, entry := range z.File {
		if entry.FileInfo().IsDir() {
			continue
		}
		r, err := entry.Open()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil {
			return err
		}
		if err := f.file(path.Join("usr/share/zoneinfo", entry.Name), 0o644, content); err != nil {
			return err
		}
	}
	return nil
}

// programLayer returns the layer with the programs and the lists of their modules.
func programLayer(at time.Time, bin, image string, commands []string, sbom []byte) (v1.Layer, error) {
	return layer(at, func(f *files) error {
		for _, c := range commands {
			content, err := os.ReadFile(filepath.Join(bin, c))
			if err != nil {
				return err
			}
			if err := f.file("usr/local/bin/"+c, 0o755, content); err != nil {
				return err
			}
		}
		return f.file("usr/share/sbom/"+image+".spdx.json", 0o644, sbom)
	})
}
