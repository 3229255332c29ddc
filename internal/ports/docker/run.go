package docker

import (
	"context"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/helve-dev/helve/tool"
)

// lingering limits the wait for a killed container, and for the output of an ended one.
const lingering = 5 * time.Second

// Ready implements [tool.Containers].
func (r *runner) Ready(ctx context.Context) error { return r.reach(ctx) }

// Run implements [tool.Containers].
func (r *runner) Run(ctx context.Context, c tool.Container) (tool.Contained, error) {
	if err := r.reach(ctx); err != nil {
		return tool.Contained{}, err
	}
	j, err := r.plan(c)
	if err != nil {
		return tool.Contained{}, err
	}
	leave, err := r.enter(ctx)
	if err != nil {
		return tool.Contained{}, err
	}
	r.sweepSometimes()
	ended := false
	err = r.create(ctx, j)
	// The answer may be lost although the container exists, so it is always removed by
	// its name, in the background. Its slot stays taken until then.
	defer r.removal.Go(func() {
		defer leave()
		ctx, cancel := ask(context.Background())
		defer cancel()
		_ = r.remove(ctx, j.name) // otherwise a sweep removes it
		if !ended && j.changesWorkspace() {
			_ = clearSetID(j.dir) // the caller already knows that the run failed
		}
	})
	if err != nil {
		return tool.Contained{}, err
	}
	ran, err := r.attend(ctx, j)
	ended = err == nil && !ran.TimedOut && !ran.Flooded
	if j.changesWorkspace() && err == nil {
		if err = clearSetID(j.dir); err != nil {
			err = tool.Fail(tool.OutcomeUnknown, "The command ran, but its files could not be checked; the operator must look for files in the "+
				"workspace that run as their owner").Because(err)
		}
	}
	ran.Image = j.image
	if err == nil {
		err = unsuited(ran)
	}
	if err != nil {
		return tool.Contained{}, err
	}
	return ran, nil
}

// create creates the container, and first pulls the image if necessary and allowed.
func (d *Docker) create(ctx context.Context, j *job) error {
	err := d.tryCreate(ctx, j)
	absent := missing(err, j.image)
	if absent != nil && d.options.Pull {
		if pulled := d.pull(ctx, j.image); pulled != nil {
			return pulled
		}
		err = d.tryCreate(ctx, j)
		absent = missing(err, j.image)
	}
	switch {
	case absent != nil:
		return absent
	case err != nil:
		return engineError(ctx, err, "it made the container")
	}
	return nil
}

func (d *Docker) tryCreate(ctx context.Context, j *job) error {
	limited, cancel := ask(ctx)
	defer cancel()
	_, err := d.engine.ContainerCreate(limited, j.request(time.Now()))
	return err
}

// pull pulls an image, at most until the call ends.
func (d *Docker) pull(ctx context.Context, image string) error {
	answer, err := d.engine.ImagePull(ctx, image, client.ImagePullOptions{})
	if err == nil {
		err = answer.Wait(ctx)
		_ = answer.Close() // it was read to its end or is no longer needed
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return tool.Fail(tool.NotConfigured,
		"Docker could not pull the image %[1]s: the operator fetches it with 'docker pull %[1]s', or names another one with docker.images",
		image).Because(err)
}

// attend starts the container and waits for its end.
func (d *Docker) attend(ctx context.Context, j *job) (tool.Contained, error) {
	stream, err := d.attach(ctx, j)
	if err != nil {
		return tool.Contained{}, err
	}
	defer stream.Close()
	defer context.AfterFunc(ctx, stream.Close)()
	out := newOutput(j.MaxOutput)
	collected := make(chan error, 1)
	go func() { collected <- out.collect(stream.Reader) }()

	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := d.await(waiting, j.name)
	began := time.Now()
	if err := d.start(ctx, j); err != nil {
		return tool.Contained{}, err
	}
	// A container need not read its input, so the goroutine is not waited for.
	go func() {
		if _, err := stream.Conn.Write(j.stdin); err == nil {
			_ = stream.CloseWrite() // fails if the container is gone already
		}
	}()
	ran := tool.Contained{}
	end, err := d.oversee(ctx, j, out, ended, &ran)
	ran.Duration = time.Since(began)
	if err != nil {
		return tool.Contained{}, err
	}
	ran.Code = int(end.StatusCode)
	return ran, d.conclude(ctx, j, out, collected, &ran)
}

func (d *Docker) attach(ctx context.Context, j *job) (client.ContainerAttachResult, error) {
	limited, cancel := ask(ctx)
	defer cancel()
	stream, err := d.engine.ContainerAttach(limited, j.name, client.ContainerAttachOptions{
		Stream: true,
		Stdin:  len(j.stdin) > 0,
		Stdout: true,
		Stderr: true,
	})
	if err != nil {
		return stream, engineError(ctx, err, "it attached to the container")
	}
	return stream, nil
}

// exit is the outcome of waiting for a container.
type exit struct {
	container.WaitResponse

	err error
}

// await requests, before the start, a notification of the container's end.
func (d *Docker) await(ctx context.Context, name string) <-chan exit {
	ended := make(chan exit, 1)
	asked := make(chan struct{})
	go func() {
		wait := d.engine.ContainerWait(ctx, name, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
		close(asked)
		select {
		case res := <-wait.Result:
			ended <- exit{WaitResponse: res}
		case err := <-wait.Error:
			ended <- exit{err: err}
		}
	}()
	select {
	case <-asked: // the engine confirms the request immediately
	case <-ctx.Done():
	case <-time.After(patience):
	}
	return ended
}

func (d *Docker) start(ctx context.Context, j *job) error {
	limited, cancel := ask(ctx)
	defer cancel()
	_, err := d.engine.ContainerStart(limited, j.name, client.ContainerStartOptions{})
	switch {
	case err == nil:
		return nil
	case limited.Err() != nil || lost(err): // it may have been started
		return d.broken(ctx, j, err)
	}
	return tool.Fail(tool.ExecutionError, "Docker could not start the container: see that the image %s has what is run in it",
		j.image).Because(err)
}

// oversee waits for the end of the container, and ends it when its time is over or its
// output exceeds the limit.
func (d *Docker) oversee(ctx context.Context, j *job, out *output, ended <-chan exit, ran *tool.Contained) (exit, error) {
	timer := time.NewTimer(j.Timeout)
	defer timer.Stop()
	select {
	case end := <-ended:
		return end, d.broken(ctx, j, end.err)
	case <-ctx.Done():
		return exit{}, context.Cause(ctx)
	case <-timer.C:
		ran.TimedOut = true
	case <-out.overflow:
		ran.Flooded = true
	}
	limited, cancel := context.WithTimeout(ctx, lingering)
	defer cancel()
	// a container that has just ended cannot be killed
	_, _ = d.engine.ContainerKill(limited, j.name, client.ContainerKillOptions{Signal: "SIGKILL"})
	select {
	case end := <-ended:
		if end.err != nil {
			end.StatusCode = killed
		}
		return end, nil
	case <-limited.Done():
		// It is removed by force; its outcome is known.
		return exit{WaitResponse: container.WaitResponse{StatusCode: killed}}, ctx.Err()
	}
}

// killed is the exit status after SIGKILL.
const killed = 128 + 9

// broken returns the error for a lost container: if it can change something outside
// itself, it may have done so.
func (d *Docker) broken(ctx context.Context, j *job, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case j.Network || j.changesWorkspace():
		return tool.Fail(tool.OutcomeUnknown,
			"Docker went away while the command ran, which may have done its work or not; look before running it again").Because(err)
	}
	return tool.Fail(tool.ExecutionError, "Docker went away while the command ran; try again").Because(err)
}

// conclude reads the rest of the output and asks the engine whether memory ran out.
func (d *Docker) conclude(ctx context.Context, j *job, out *output, collected <-chan error, ran *tool.Contained) error {
	var err error
	select {
	case err = <-collected:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lingering): // another process holds the stream
	}
	if err != nil && !ran.TimedOut && !ran.Flooded {
		return d.broken(ctx, j, err)
	}
	out.mu.Lock()
	ran.Stdout, ran.Stderr, ran.StdoutCut, ran.StderrCut = out.kept[0], out.kept[1], out.cut[0], out.cut[1]
	out.mu.Unlock()
	limited, cancel := ask(ctx)
	defer cancel()
	// The outcome is valid without this answer, too.
	if about, err := d.engine.ContainerInspect(limited, j.name, client.ContainerInspectOptions{}); err == nil && about.Container.State != nil {
		ran.OutOfMemory = about.Container.State.OOMKilled
	}
	return nil
}
