package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/backend/programs"
	"github.com/helve-dev/helve/internal/bus"
	"github.com/helve-dev/helve/internal/childexe"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/sandbox/lockdown"
)

// doctorCommand says what this host offers to a worker. It leaves nothing behind.
func doctorCommand(env []string) *cobra.Command {
	var file, data, nats string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this host offers, and whether dynamic tools can run on it",
		Long: "Say what this host offers, and what to do about what it lacks: what dynamic tools\n" +
			"need to be locked up, the data directory, NATS if --nats names it, and programs\n" +
			"that some tools use. The exit code is 1 if something needed is missing.",
		Example: "  helve doctor --nats nats://127.0.0.1:4222",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "config", "", "`FILE` of settings in YAML")
	flags.StringVar(&data, "data", "", "data `DIR` in place of the configured one")
	flags.StringVar(&nats, "nats", "", "`URL` of a NATS server to reach")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := config.Load(config.Source{Env: env, File: file})
		if err != nil {
			return cli.Usage("%w", err)
		}
		if data != "" {
			cfg.Data = data
		}
		cage := lockdown.Probe()
		if lacking(cage) == nil {
			cage = append(cage, trialPart(cmd.Context(), cfg))
		}
		children := lockdown.Part{Name: "children", OK: true, Detail: childexe.Describe()}
		parts := append(slices.Clone(cage), children, dataPart(cfg.Data))
		if nats != "" {
			cfg.NATS.URL = nats
			parts = append(parts, natsPart(cmd.Context(), cfg))
		}
		parts = append(parts, programParts()...)
		parts = append(parts, confinedParts(cmd.Context(), cfg)...)
		verdict := verdictOn(cage)
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			err = writeDiagnosisJSON(cmd.OutOrStdout(), parts, verdict)
		} else {
			err = writeDiagnosis(cmd.OutOrStdout(), parts, verdict)
		}
		if lacks := lacking(parts); err == nil && lacks != nil {
			err = errors.New("this host lacks " + strings.Join(lacks, ", "))
		}
		return err
	}
	return cmd
}

// verdictOn says whether dynamic tools can run where the cage's parts are these.
func verdictOn(cage []lockdown.Part) string {
	if lacks := lacking(cage); lacks != nil {
		return "cannot run: this host lacks " + strings.Join(lacks, ", ")
	}
	return "can run"
}

// lacking names the parts that are needed and not there.
func lacking(parts []lockdown.Part) (names []string) {
	for _, p := range parts {
		if p.Mandatory && !p.OK {
			names = append(names, p.Name)
		}
	}
	return names
}

// dataPart makes a file in dir, or where dir would be made, and removes it.
func dataPart(dir string) lockdown.Part {
	at, detail := dir, dir
	for {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			break
		}
		at, detail = filepath.Dir(at), dir+" will be made"
	}
	f, err := os.CreateTemp(at, ".helve-doctor-*")
	if err != nil {
		return lockdown.Part{Name: "data", Mandatory: true, Detail: err.Error() + "; choose another directory with --data, or give this one to the user that runs workers"}
	}
	f.Close()
	os.Remove(f.Name())
	return lockdown.Part{Name: "data", Mandatory: true, OK: true, Detail: detail}
}

// natsPart waits a moment for a connection, with the credentials that are configured.
func natsPart(ctx context.Context, cfg config.Config) lockdown.Part {
	p := lockdown.Part{Name: "nats", Mandatory: true, Detail: cfg.NATS.URL}
	connected := make(chan struct{})
	opts := bus.FromConfig(cfg, "doctor", nil)
	seen := sync.OnceFunc(func() { close(connected) })
	opts.State = func(up bool) {
		if up {
			seen()
		}
	}
	b, err := bus.Connect(opts)
	if err != nil {
		p.Detail = err.Error()
		return p
	}
	defer b.Close()
	ctx, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	select {
	case <-connected:
		p.OK = true
	case <-ctx.Done():
		p.Detail += " does not answer, or refuses the credentials; start NATS, or see nats.creds"
	}
	return p
}

// programParts looks for programs that only some tools need.
func programParts() []lockdown.Part {
	var parts []lockdown.Part
	for _, program := range []struct{ name, use string }{
		{"git", "the Git tools"},
		{"docker", "the tools that run code in containers"},
		{"ffmpeg", "the audio tools"},
		{"pdftotext", "reading text from PDF files"},
		{"node", "comparisons by helve bench js"},
	} {
		path, err := exec.LookPath(program.name)
		if err != nil {
			path = "not found; it is for " + program.use
		}
		parts = append(parts, lockdown.Part{Name: program.name, OK: err == nil, Detail: path})
	}
	return parts
}

// confinedParts tries how programs can be confined here. A worker without that runs
// all tools but those that run programs, so none of it is needed.
func confinedParts(ctx context.Context, cfg config.Config) []lockdown.Part {
	o := programs.Options{Path: cfg.Programs.Path, Readable: cfg.Programs.Readable, Unconfined: cfg.Programs.Unconfined}
	parts := programs.New(o).Probe(ctx)
	for i := range parts {
		parts[i].Mandatory = false
	}
	return parts
}

func writeDiagnosis(w io.Writer, parts []lockdown.Part, verdict string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PART\tNEEDED\tOK\tDETAIL")
	word := map[bool]string{true: "yes", false: "no"}
	for _, p := range parts {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Name, word[p.Mandatory], word[p.OK], p.Detail)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "dynamic tools:", verdict)
	return err
}

// diagnosed is a part as --json prints it.
type diagnosed struct {
	Part   string `json:"part"`
	Needed bool   `json:"needed"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func writeDiagnosisJSON(w io.Writer, parts []lockdown.Part, verdict string) error {
	rows := make([]diagnosed, len(parts))
	for i, p := range parts {
		rows[i] = diagnosed{p.Name, p.Mandatory, p.OK, p.Detail}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"parts": rows, "dynamic_tools": verdict})
}
