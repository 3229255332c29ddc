package failpoint

// The points, in the order in which a call passes them.
const (
	// DispatcherReceived is before anything is done about a call.
	DispatcherReceived = "dispatcher.received"
	// DispatcherBeforeAccept is before the acceptance of a call_id is stored.
	DispatcherBeforeAccept = "dispatcher.before_accept"
	// DispatcherAfterAccept is where the acceptance is stored and the call is
	// not queued.
	DispatcherAfterAccept = "dispatcher.after_accept"
	// DispatcherAfterSubmit is where the call is queued and the dispatcher has
	// not looked at the acknowledgement.
	DispatcherAfterSubmit = "dispatcher.after_submit"
	// DispatcherBeforeAnswer is where every call of a request has an element
	// and the caller has not been answered.
	DispatcherBeforeAnswer = "dispatcher.before_answer"
	// DispatcherAfterEnd is where a dispatcher has ended a call that did not
	// start, by its fence, and the result of that is not stored.
	DispatcherAfterEnd = "dispatcher.after_end"

	// BusReceive is where a call came out of the queue and was not read.
	BusReceive = "bus.receive"
	// WorkerTaken is where a worker holds a call and has done nothing with it.
	WorkerTaken = "worker.taken"
	// WorkerBeforeEarlier is before a worker looks for an earlier attempt of a
	// call that was delivered again.
	WorkerBeforeEarlier = "worker.before_earlier"
	// WorkerBeforeFence is before the start fence is stored.
	WorkerBeforeFence = "worker.before_fence"
	// WorkerAfterFence is where the fence is stored and the tool has not run.
	WorkerAfterFence = "worker.after_fence"
	// WorkerAfterTool is where the tool has run and its result is not
	// published.
	WorkerAfterTool = "worker.after_tool"
	// WorkerAfterResult is where the result is stored and the call is still on
	// the queue.
	WorkerAfterResult = "worker.after_result"
	// WorkerAfterAck is where the call was taken off the queue and its last
	// event was not told.
	WorkerAfterAck = "worker.after_ack"

	// ConsentAfterPark is where a call is parked and the person is not asked.
	ConsentAfterPark = "consent.after_park"
	// ConsentBeforeCarry is where a verdict is stored and nothing followed yet.
	ConsentBeforeCarry = "consent.before_carry"
	// ConsentAfterResume is where a granted call is queued again, or another has
	// its result, and nobody was told.
	ConsentAfterResume = "consent.after_resume"

	// BusPublish is before a message that wants an acknowledgement is sent: a
	// once-only record, a call, a result.
	BusPublish = "bus.publish"
	// BusAck is where such an acknowledgement came and was not read.
	BusAck = "bus.ack"
	// BusRead is before the last message of a subject is read from a stream.
	BusRead = "bus.read"
	// BusSettle is before a call is taken off the queue or given back.
	BusSettle = "bus.settle"
	// BusBeat is before the heartbeats of the calls a worker holds are sent.
	BusBeat = "bus.beat"
)

// Names returns every point.
func Names() []string {
	return []string{
		DispatcherReceived, DispatcherBeforeAccept, DispatcherAfterAccept, DispatcherAfterSubmit, DispatcherBeforeAnswer, DispatcherAfterEnd,
		BusReceive, WorkerTaken, WorkerBeforeEarlier, WorkerBeforeFence, WorkerAfterFence, WorkerAfterTool, WorkerAfterResult, WorkerAfterAck,
		ConsentAfterPark, ConsentBeforeCarry, ConsentAfterResume,
		BusPublish, BusAck, BusRead, BusSettle, BusBeat,
	}
}
