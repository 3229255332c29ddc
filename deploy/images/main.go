// Command images builds the container images of dispatcher, worker and helve without a
// container engine, and writes each as an archive for all platforms:
//
//	go run ./images -out ../dist/images
//
// An archive is an OCI layout for registries (skopeo copy --all oci-archive:FILE docker://…)
// and has the list that `docker load` and `podman load` read. An image holds one program,
// certificate authorities, time zones and a list of its modules (SPDX); no shell. It runs as
// user 65532 with a read-only root. Equal sources and tools make equal archives.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// largest is the size that a compressed image may have.
const largest = 60_000_000

// programs maps each image to the commands in it, the first one its entry point.
// helve-child starts scripts of models in half the time.
func programs() map[string][]string {
	return map[string][]string{
		"dispatcher": {"dispatcher"},
		"worker":     {"worker", "helve-child"},
		"helve":      {"helve", "helve-child"},
	}
}

// options are the flags.
type options struct {
	out, repository, version, source string
	platforms, images                []string
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("images", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var o options
	fs.StringVar(&o.out, "out", "dist/images", "`DIR` of the archives")
	fs.StringVar(&o.source, "source", "..", "`DIR` of Helve's sources")
	fs.StringVar(&o.repository, "repository", "helve", "`NAME` in front of the images' names: NAME/worker")
	fs.StringVar(&o.version, "version", "", "`VERSION` of the programs and tag of the images; empty for that of git")
	platforms := fs.String("platforms", "linux/amd64,linux/arm64", "`LIST` of platforms")
	images := fs.String("images", "dispatcher,worker,helve", "`LIST` of images")
	if err := fs.Parse(args); err != nil {
		return err
	}
	o.platforms, o.images = strings.Split(*platforms, ","), strings.Split(*images, ",")
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "images")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	src, err := checkout(o.source, work, o.version, stderr)
	if err != nil {
		return err
	}
	built := map[string][]platformImage{}
	for _, name := range o.platforms {
		platform, err := v1.ParsePlatform(name)
		if err != nil {
			return err
		}
		bin := filepath.Join(work, strings.ReplaceAll(name, "/", "-"))
		if err := src.build(bin, platform, commands(o.images), stderr); err != nil {
			return err
		}
		base, err := baseLayer(src.time)
		if err != nil {
			return err
		}
		for _, image := range o.images {
			commands, ok := programs()[image]
			if !ok {
				return fmt.Errorf("there is no image %q; there are dispatcher, worker and helve", image)
			}
			made, err := assemble(src, platform, base, bin, image, commands)
			if err != nil {
				return err
			}
			built[image] = append(built[image], made)
		}
	}
	for _, image := range o.images {
		if err := src.publish(o, image, built[image], stdout); err != nil {
			return err
		}
	}
	return nil
}

// commands returns the commands of some images, each once.
func commands(images []string) (all []string) {
	for _, image := range images {
		all = append(all, programs()[image]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// publish writes the archive of an image and the lists of its modules.
func (s *source) publish(o options, image string, made []platformImage, stdout io.Writer) error {
	file := filepath.Join(o.out, image+".tar")
	if err := writeArchive(file, o.repository+"/"+image, s.version, made); err != nil {
		return err
	}
	for _, m := range made {
		name := image + "-" + m.platform.Architecture + ".spdx.json"
		if err := os.WriteFile(filepath.Join(o.out, name), m.sbom, 0o644); err != nil {
			return err
		}
		size, err := m.size()
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s:%s %s %.1f MB\n", o.repository+"/"+image, s.version, m.platform, float64(size)/1e6)
		if size > largest {
			return fmt.Errorf("%s for %s has %d bytes; an image may have %d", image, m.platform, size, largest)
		}
	}
	return nil
}
