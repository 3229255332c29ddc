package natsauth

// What follows are subjects of the JetStream API, as the client library uses
// them; nats-server/server/jetstream_api.go.

func bucketStream(bucket string) string { return "KV_" + bucket }

func objectStream(store string) string { return "OBJ_" + store }

// info lets look at a stream.
func info(stream string) []string { return []string{"$JS.API.STREAM.INFO." + stream} }

// keep lets make a stream and change its settings, but not delete or empty it.
func keep(stream string) []string {
	return []string{"$JS.API.STREAM.CREATE." + stream, "$JS.API.STREAM.UPDATE." + stream}
}

// last lets read the last message of a subject.
func last(stream string) []string {
	return []string{
		"$JS.API.DIRECT.GET." + stream, "$JS.API.DIRECT.GET." + stream + ".>",
		"$JS.API.STREAM.MSG.GET." + stream, // with replicas the leader is asked
	}
}

// consume lets make consumers of a stream and read through them.
func consume(stream string) []string {
	return []string{
		"$JS.API.CONSUMER.CREATE." + stream + ".>", "$JS.API.CONSUMER.INFO." + stream + ".*",
		"$JS.API.CONSUMER.DELETE." + stream + ".*", "$JS.API.CONSUMER.MSG.NEXT." + stream + ".*",
		"$JS.FC." + stream + ".>",
	}
}

// ack lets settle what a consumer was given, in both forms of that subject:
// newer servers put their domain and the account before the stream.
func ack(stream, consumer string) []string {
	return []string{"$JS.ACK." + stream + "." + consumer + ".>", "$JS.ACK.*.*." + stream + "." + consumer + ".>"}
}

// putKeys lets write to a key-value bucket.
func putKeys(bucket string) []string { return []string{"$KV." + bucket + ".>"} }

// getKeys lets read single keys.
func getKeys(bucket string) []string {
	return []string{
		"$JS.API.DIRECT.GET." + bucketStream(bucket) + ".$KV." + bucket + ".>",
		"$JS.API.STREAM.MSG.GET." + bucketStream(bucket), // with replicas the leader is asked
	}
}

// followKeys lets read a bucket and hear of its changes.
func followKeys(bucket string) []string {
	return read(bucketStream(bucket), "$KV."+bucket+".>")
}

// putObjects lets write to an object store.
func putObjects(store string) []string {
	return []string{"$O." + store + ".C.*", "$O." + store + ".M.*"}
}

// findObjects lets see what an object is, but not read it.
func findObjects(store string) []string {
	return []string{"$JS.API.DIRECT.GET." + objectStream(store) + ".$O." + store + ".M.*"}
}

// getObjects lets read objects.
func getObjects(store string) []string {
	return all(findObjects(store), read(objectStream(store), "$O."+store+".C.*"))
}

// read lets read part of a stream through consumers of one's own, which live as
// long as the reader.
func read(stream, filter string) []string {
	return []string{
		"$JS.API.CONSUMER.CREATE." + stream + ".*." + filter, "$JS.API.CONSUMER.DELETE." + stream + ".*",
		"$JS.FC." + stream + ".>", "$JS.FC.*.*." + stream + ".>",
	}
}
