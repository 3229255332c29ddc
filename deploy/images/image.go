package main

import (
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// platformImage is an image for one platform.
type platformImage struct {
	v1.Image

	platform *v1.Platform
	sbom     []byte
}

// size returns the bytes of the compressed layers.
func (p platformImage) size() (total int64, err error) {
	layers, err := p.Layers()
	if err != nil {
		return 0, err
	}
	for _, l := range layers {
		n, err := l.Size()
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// assemble makes the image of some commands, the first one its entry point.
func assemble(s *source, platform *v1.Platform, base v1.Layer, bin, image string, commands []string) (platformImage, error) {
	sbom, err := modulesOf(s, bin, image, commands)
	if err != nil {
		return platformImage{}, err
	}
	program, err := programLayer(s.time, bin, image, commands, sbom)
	if err != nil {
		return platformImage{}, err
	}
	made := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if made, err = mutate.Append(made,
		mutate.Addendum{Layer: base, History: history(s.time, "certificate authorities, time zones, user")},
		mutate.Addendum{Layer: program, History: history(s.time, image)}); err != nil {
		return platformImage{}, err
	}
	file, err := made.ConfigFile()
	if err != nil {
		return platformImage{}, err
	}
	file = file.DeepCopy()
	file.Created, file.OS, file.Architecture, file.Variant = v1.Time{Time: s.time}, platform.OS, platform.Architecture, platform.Variant
	file.Config = v1.Config{
		User: "65532:65532", WorkingDir: "/var/lib/helve",
		Entrypoint: []string{"/usr/local/bin/" + commands[0]},
		Env:        []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HELVE_DATA=/var/lib/helve", "HOME=/var/lib/helve"},
		StopSignal: "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":    "helve " + image,
			"org.opencontainers.image.source":   "https://github.com/helve-dev/helve",
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.version":  s.version,
			"org.opencontainers.image.revision": s.revision,
			"org.opencontainers.image.created":  s.time.Format(time.RFC3339),
		},
	}
	if made, err = mutate.ConfigFile(made, file); err != nil {
		return platformImage{}, err
	}
	return platformImage{Image: made, platform: platform, sbom: sbom}, nil
}

func history(at time.Time, what string) v1.History {
	return v1.History{Created: v1.Time{Time: at}, CreatedBy: "helve images", Comment: what}
}
