"""The session and its JVM: settings, storage, SQL names and the guard of SQL texts; imports nothing else of the job."""
