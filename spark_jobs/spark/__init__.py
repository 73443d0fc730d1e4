"""The session and its JVM: settings, storage, small frames, the guard of SQL texts; imports nothing else of the job."""
