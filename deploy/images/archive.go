package main

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// loadable is an image in the list that `docker load` reads.
type loadable struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// writeArchive writes an archive with an image for each platform. The first one gets the
// tag version; the others get version-ARCHITECTURE too, for engines that have one platform.
func writeArchive(file, repository, version string, images []platformImage) error {
	dir, err := os.MkdirTemp(filepath.Dir(file), ".layout")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var list []loadable
	for i, image := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image.Image, Descriptor: v1.Descriptor{Platform: image.platform}})
		tag := repository + ":" + version
		if i > 0 {
			tag += "-" + image.platform.Architecture
		}
		l, err := load(image, tag)
		if err != nil {
			return err
		}
		list = append(list, l)
	}
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": version, "io.containerd.image.name": repository + ":" + version,
	})); err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644); err != nil {
		return err
	}
	return pack(dir, file)
}

func load(image platformImage, tag string) (loadable, error) {
	blob := func(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
	config, err := image.ConfigName()
	if err != nil {
		return loadable{}, err
	}
	l := loadable{Config: blob(config), RepoTags: []string{tag}}
	layers, err := image.Layers()
	if err != nil {
		return loadable{}, err
	}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return loadable{}, err
		}
		l.Layers = append(l.Layers, blob(digest))
	}
	return l, nil
}

// pack writes a directory into an archive, with the same bytes for the same files.
func pack(dir, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	w := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg,
			Name:     filepath.ToSlash(relative),
			Mode:     0o644,
			Size:     info.Size(),
			ModTime:  time.Unix(0, 0),
			Format:   tar.FormatPAX,
		}); err != nil {
			return err
		}
		in, err := os.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, in)
		return errors.Join(err, in.Close())
	})
	return errors.Join(err, w.Close(), out.Close())
}
