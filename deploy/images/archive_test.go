package main

import (
	"archive/tar"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// version is the tag of the images that the tests build.
const version = "v0.0.0-test"

// archives builds the images of this platform once and returns the directory of the archives.
func archives(t *testing.T) string {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	return built
}

var (
	built     string
	buildOnce = sync.OnceValue(func() (err error) {
		if built, err = os.MkdirTemp("", "archives"); err != nil {
			return err
		}
		return run([]string{"-out", built, "-source", "../..", "-version", version, "-platforms", "linux/" + runtime.GOARCH},
			os.Stdout, os.Stderr)
	})
)

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// contents returns the regular files of an image, and the modes and owners of all entries.
func contents(t *testing.T, image string) (content map[string][]byte, entries map[string]*tar.Header) {
	t.Helper()
	made, err := tarball.ImageFromPath(filepath.Join(archives(t), image+".tar"), nil)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := made.Layers()
	if err != nil {
		t.Fatal(err)
	}
	content, entries = map[string][]byte{}, map[string]*tar.Header{}
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		for in := tar.NewReader(r); ; {
			h, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			entries[h.Name] = h
			if h.Typeflag == tar.TypeReg {
				if content[h.Name], err = io.ReadAll(in); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = r.Close()
	}
	return content, entries
}

// TestImageHolds checks what is in each image: its programs, authorities, time zones and
// list of modules, and nothing else.
func TestImageHolds(t *testing.T) {
	for image, commands := range programs() {
		t.Run(image, func(t *testing.T) {
			content, entries := contents(t, image)
			for name, h := range entries {
				program := strings.HasPrefix(name, "usr/local/bin/")
				if h.Mode&0o6000 != 0 || !program && h.Typeflag == tar.TypeReg && h.Mode&0o111 != 0 {
					t.Errorf("%s has mode %o", name, h.Mode)
				}
			}
			for _, c := range commands {
				if len(content["usr/local/bin/"+c]) == 0 {
					t.Errorf("no program %s", c)
				}
				delete(content, "usr/local/bin/"+c)
			}
			if !x509.NewCertPool().AppendCertsFromPEM(content["etc/ssl/certs/ca-certificates.crt"]) {
				t.Error("no certificate authorities")
			}
			if _, err := time.LoadLocationFromTZData("Europe/Istanbul", content["usr/share/zoneinfo/Europe/Istanbul"]); err != nil {
				t.Error(err)
			}
			var list document
			if err := json.Unmarshal(content["usr/share/sbom/"+image+".spdx.json"], &list); err != nil {
				t.Fatal(err)
			}
			modules := map[string]string{}
			for _, p := range list.Packages {
				modules[p.Name] = p.Version
			}
			if modules["github.com/helve-dev/helve"] != version || modules["stdlib"] == "" || modules["github.com/nats-io/nats.go"] == "" {
				t.Errorf("the list of modules has Helve %q, Go %q and NATS %q",
					modules["github.com/helve-dev/helve"], modules["stdlib"], modules["github.com/nats-io/nats.go"])
			}
			for name := range content {
				if !strings.HasPrefix(name, "etc/") && !strings.HasPrefix(name, "usr/share/zoneinfo/") && !strings.HasPrefix(name, "usr/share/sbom/") {
					t.Errorf("the image holds %s", name)
				}
			}
			if h := entries["var/lib/helve/"]; h == nil || h.Uid != user || h.Mode != 0o700 {
				t.Errorf("the data directory is %v", h)
			}
		})
	}
}

// TestArchiveIsOCI reads an archive as a registry's client does.
func TestArchiveIsOCI(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xf", filepath.Join(archives(t), "worker.tar"), "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(outer.Manifests) != 1 || outer.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != version {
		t.Fatalf("the layout has %v, want one index called %s", outer.Manifests, version)
	}
	inner, err := index.ImageIndex(outer.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := inner.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := manifest.Manifests[0].Platform.String(); got != "linux/"+runtime.GOARCH {
		t.Errorf("the index is for %s", got)
	}
	image, err := inner.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	labels := config.Config.Labels
	if config.Config.User != "65532:65532" || labels["org.opencontainers.image.version"] != version ||
		len(labels["org.opencontainers.image.revision"]) < 40 {
		t.Errorf("user %q, labels %v", config.Config.User, labels)
	}
}
