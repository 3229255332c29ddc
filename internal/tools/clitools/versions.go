package clitools

import (
	"context"
	"regexp"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

const (
	// versionTime is what one program is given to say its version, versionsTime
	// what all are given together.
	versionTime  = 3 * time.Second
	versionsTime = 15 * time.Second
	atOnce       = 4
)

// versionForm is the first number with dots in what a program says.
var versionForm = regexp.MustCompile(`\d+(\.\d+)+([-+._]?[0-9A-Za-z]+)*`)

// versions asks programs for their versions, some at a time; what one does not say
// in time stays empty.
func versions(ctx context.Context, call *tool.Call, ask []*listed) {
	ctx, cancel := context.WithTimeout(ctx, versionsTime)
	defer cancel()
	work := make(chan *listed)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for l := range work {
				l.Version = version(ctx, call, l.program)
			}
		})
	}
	for _, l := range ask {
		work <- l
	}
	close(work)
	all.Wait()
}

func version(ctx context.Context, call *tool.Call, p *program) *string {
	args := p.versionArgs()
	if len(args) == 0 || ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	ran, err := call.Programs.Run(ctx, tool.Program{
		Name: p.executable(), Args: args, ReadOnly: true, MaxOutput: 4 << 10, MaxTotal: 1 << 20,
		Env: []string{"NO_COLOR=1", "npm_config_update_notifier=false"},
	})
	if err != nil {
		return nil
	}
	for _, said := range [][]byte{ran.Stdout, ran.Stderr} {
		if v := versionForm.Find(said); v != nil {
			text := string(v)
			return &text
		}
	}
	return nil
}
