package docker

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// sweepEvery is how often at most runs look for what others left behind.
const sweepEvery = time.Minute

// Sweep removes the containers that dead workers left behind and returns how many
// those were. Containers that may still be running are left alone, also those of
// other workers.
func (d *Docker) Sweep(ctx context.Context) (int, error) {
	ctx, cancel := ask(ctx)
	defer cancel()
	ours := client.Filters{}.Add("label", labelOurs)
	list, err := d.engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		return 0, failed(ctx, err, "it was asked for old containers")
	}
	removed := 0
	var errs []error
	for _, c := range list.Items {
		if !expired(c, time.Now()) {
			continue
		}
		if err := d.remove(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}

// expired reports whether no worker can still want a container.
func expired(c container.Summary, now time.Time) bool {
	deadline, err := strconv.ParseInt(c.Labels[labelDeadline], 10, 64)
	return err != nil || now.After(time.Unix(deadline, 0))
}

// sweepSometimes sweeps beside the run, if nobody did of late.
func (d *Docker) sweepSometimes() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.swept) < sweepEvery {
		return
	}
	d.swept = time.Now()
	d.removal.Go(func() { _, _ = d.Sweep(context.Background()) }) // the next sweep tries again
}

// remove kills and removes a container. One that is not there is removed already.
func (d *Docker) remove(ctx context.Context, id string) error {
	_, err := d.engine.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) { // conflict: it is being removed
		return nil
	}
	return err
}
