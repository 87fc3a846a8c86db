BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE attempts (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	session_number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	failure_category TEXT, 
	failure_reason TEXT, 
	failure_message TEXT, 
	slot_shape TEXT, 
	block_id TEXT, 
	node TEXT, 
	slot_index INTEGER, 
	cores TEXT, 
	devices TEXT, 
	submitted_us BIGINT NOT NULL, 
	process_start_us BIGINT, 
	ready_us BIGINT, 
	run_start_us BIGINT, 
	timed_window_start_us BIGINT, 
	timed_window_stop_us BIGINT, 
	run_stop_us BIGINT, 
	process_stop_us BIGINT, 
	received_us BIGINT, 
	fom_seconds FLOAT, 
	accuracy FLOAT, 
	exit_code INTEGER, 
	signal TEXT, 
	peak_memory_bytes BIGINT, 
	cpu_seconds FLOAT, 
	environment_sha256 TEXT, 
	observed TEXT, 
	data_facts TEXT, 
	stdout_path TEXT, 
	stderr_path TEXT, 
	stderr_tail TEXT, 
	observation_sha256 TEXT, 
	clock_offset_max_us BIGINT, 
	run_start_arrived_us BIGINT, 
	timed_window_start_arrived_us BIGINT, 
	timed_window_stop_arrived_us BIGINT, 
	run_stop_arrived_us BIGINT, 
	run_start_cpu_seconds FLOAT, 
	timed_window_stop_cpu_seconds FLOAT, 
	run_stop_cpu_seconds FLOAT, 
	clock_offset_min_us BIGINT, 
	CONSTRAINT pk_attempts PRIMARY KEY (campaign_id, instance_id, attempt_number), 
	CONSTRAINT fk_attempts_campaign_id_instance_id FOREIGN KEY(campaign_id, instance_id) REFERENCES instances (campaign_id, instance_id), 
	CONSTRAINT uq_attempts_token UNIQUE (token), 
	CONSTRAINT fk_attempts_environment_sha256 FOREIGN KEY(environment_sha256) REFERENCES documents (sha256), 
	CONSTRAINT fk_attempts_observation_sha256 FOREIGN KEY(observation_sha256) REFERENCES documents (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "attempts" VALUES(1,0,1,'toy-0.1',1,'failed','benchmark','','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,3.00000000000000044408e-01,3.00000000000000044408e-01,0,'SIGTERM',1099511627777,0.5,'f43b311176b758fd15c431e2d022d1e8068652583899f64defce1ab29a9aa746','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,0,2,'toy-0.2',1,'lost',NULL,NULL,NULL,'c1',NULL,NULL,NULL,NULL,NULL,1790000000123456,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1790000000123465,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'7c928167143aa94c59bcace7dd43b205567ac060e74f700a6376ff83356a4160',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,1,1,'toy-1.1',1,'succeeded','benchmark','\','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,3.33333333333333314829e-01,3.33333333333333314829e-01,0,'SIGTERM',1099511627777,0.5,'f43b311176b758fd15c431e2d022d1e8068652583899f64defce1ab29a9aa746','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','\','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,2,1,'toy-2.1',1,'succeeded','benchmark','\N','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,4.94065645841247e-324,4.94065645841247e-324,0,'SIGTERM',1099511627777,0.5,'502e9dcb08758c94921e54b6e91086a7c118673925a4418a7869d77a334c5410','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','\N','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,3,1,'toy-3.1',1,'succeeded','benchmark','"quoted", and, commas','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,1.79769313486231562234e+308,1.79769313486231562234e+308,0,'SIGTERM',1099511627777,0.5,'502e9dcb08758c94921e54b6e91086a7c118673925a4418a7869d77a334c5410','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','"quoted", and, commas','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,4,1,'toy-4.1',1,'succeeded','benchmark','lines
of
allkinds','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,0.0,0.0,0,'SIGTERM',1099511627777,0.5,'ff951040967d53006e0236b3db1157018ef82909e163abd18c38b42e951bcbcc','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','lines
of
allkinds','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,5,1,'toy-5.1',1,'succeeded','benchmark','tab	here','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,1.23456789012345680004e+16,1.23456789012345680004e+16,0,'SIGTERM',1099511627777,0.5,'ff951040967d53006e0236b3db1157018ef82909e163abd18c38b42e951bcbcc','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','tab	here','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,6,1,'toy-6.1',1,'succeeded','benchmark',' spaces ','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,3.00000000000000044408e-01,3.00000000000000044408e-01,0,'SIGTERM',1099511627777,0.5,'8281ca01f2208238bacd17fb216e2466d79be04e62b5f87f4c62c4190d61c530','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err',' spaces ','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,7,1,'toy-7.1',1,'succeeded','benchmark','NULL','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,3.33333333333333314829e-01,3.33333333333333314829e-01,0,'SIGTERM',1099511627777,0.5,'8281ca01f2208238bacd17fb216e2466d79be04e62b5f87f4c62c4190d61c530','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','NULL','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,8,1,'toy-8.1',1,'succeeded','benchmark','½ µs – 時間 🕰','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,4.94065645841247e-324,4.94065645841247e-324,0,'SIGTERM',1099511627777,0.5,'7535883402976c468d020caeac9ce2dfbe99b95c0692dcc5c60ac480d35f188c','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','½ µs – 時間 🕰','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,9,1,'toy-9.1',1,'succeeded','benchmark','\\server','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,1.79769313486231562234e+308,1.79769313486231562234e+308,0,'SIGTERM',1099511627777,0.5,'7535883402976c468d020caeac9ce2dfbe99b95c0692dcc5c60ac480d35f188c','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','\\server','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,10,1,'toy-10.1',1,'succeeded','benchmark','=1+1','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,0.0,0.0,0,'SIGTERM',1099511627777,0.5,'bbaa37c6e9421c783657b306843afe6216d2cde8dfc1820c4b9e61f966b2988e','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','=1+1','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
INSERT INTO "attempts" VALUES(1,11,1,'toy-11.1',1,'succeeded','benchmark','''single''','','c1','0','n1',0,'0,1','GPU-a',1790000000123456,1790000000123457,1790000000123458,1790000000123459,1790000000123460,1790000000123461,1790000000123462,1790000000123463,1790000000123464,1.23456789012345680004e+16,1.23456789012345680004e+16,0,'SIGTERM',1099511627777,0.5,'bbaa37c6e9421c783657b306843afe6216d2cde8dfc1820c4b9e61f966b2988e','{"cpuset": [0, 1]}','{"synthetic": true}','/runs/a.out','/runs/a.err','''single''','2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e',250000,1790000000123459,1790000000123460,1790000000123461,1790000000123462,0.25,0.4,0.45,-250000);
CREATE TABLE benchmarks (
	campaign_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	workload TEXT NOT NULL, 
	instances INTEGER NOT NULL, 
	parameters TEXT NOT NULL, 
	slot TEXT NOT NULL, 
	timeout_seconds FLOAT, 
	quality_metric TEXT, 
	quality_target FLOAT, 
	CONSTRAINT pk_benchmarks PRIMARY KEY (campaign_id, benchmark), 
	CONSTRAINT fk_benchmarks_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "benchmarks" VALUES(1,'other','tests.toys.behave',2,'{"behaviour": "succeed"}','{"cores": 1, "memory_bytes": null}',NULL,'m',0.5);
INSERT INTO "benchmarks" VALUES(1,'toy','tests.toys.behave',12,'{"behaviour": "succeed"}','{"cores": 1, "memory_bytes": null}',60.0,NULL,NULL);
CREATE TABLE blocks (
	campaign_id INTEGER NOT NULL, 
	session_number INTEGER NOT NULL, 
	slot_shape TEXT NOT NULL, 
	block_id TEXT NOT NULL, 
	job_id TEXT, 
	state TEXT NOT NULL, 
	requested_us BIGINT NOT NULL, 
	started_us BIGINT, 
	ended_us BIGINT, 
	nodes INTEGER NOT NULL, 
	message TEXT, 
	pool TEXT, 
	CONSTRAINT pk_blocks PRIMARY KEY (campaign_id, session_number, slot_shape, block_id), 
	CONSTRAINT fk_blocks_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "blocks" VALUES(1,1,'c1','0','job 7','released',1790000000123456,1790000000123457,1790000000123465,2,NULL,'fast');
CREATE TABLE campaigns (
	campaign_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	uid TEXT NOT NULL, 
	campaign_yaml TEXT NOT NULL, 
	campaign_sha256 TEXT NOT NULL, 
	site_name TEXT NOT NULL, 
	site_yaml TEXT NOT NULL, 
	site_sha256 TEXT NOT NULL, 
	rulebook TEXT NOT NULL, 
	run_class TEXT NOT NULL, 
	run_directory TEXT NOT NULL, 
	data_path TEXT NOT NULL, 
	created_us BIGINT NOT NULL, 
	outcome TEXT, 
	stop_request TEXT, 
	lease_owner TEXT, 
	lease_expires_us BIGINT, 
	CONSTRAINT pk_campaigns PRIMARY KEY (campaign_id), 
	CONSTRAINT uq_campaigns_name UNIQUE (name), 
	CONSTRAINT uq_campaigns_uid UNIQUE (uid)
);
INSERT INTO "campaigns" VALUES(1,'toy','uid-toy','campaign: toy  # ½ µs – 時間 🕰
','7cf8e6d6d210c7ff8e2d283641f9faa024fe18eca6ba9e71450350ac6c0f2ac1','local','site: local
','d56542c733212af558efd2b0c872c198a2ce74fb376dde4c32b97f6f1f712f7a','coral2','base','/runs/toy','/data',1795710473860714,'exhausted',NULL,NULL,NULL);
CREATE TABLE curves (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	axis TEXT NOT NULL, 
	points TEXT NOT NULL, 
	CONSTRAINT pk_curves PRIMARY KEY (campaign_id, instance_id, attempt_number, name), 
	CONSTRAINT fk_curves_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
INSERT INTO "curves" VALUES(1,0,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,0,1,'odd ','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,1,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,1,1,'odd \','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,2,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,2,1,'odd \N','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,3,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,3,1,'odd "quoted", and, commas','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,4,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,4,1,'odd lines\nof\r\nall\rkinds','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,5,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,5,1,'odd tab\there','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,6,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,6,1,'odd  spaces ','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,7,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,7,1,'odd NULL','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,8,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,8,1,'odd ½ µs – 時間 🕰','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,9,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,9,1,'odd \\server','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,10,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,10,1,'odd =1+1','step','[[1, null]]');
INSERT INTO "curves" VALUES(1,11,1,'loss','epoch','[[1, 0.5], [2, 0.25]]');
INSERT INTO "curves" VALUES(1,11,1,'odd ''single''','step','[[1, null]]');
CREATE TABLE documents (
	sha256 TEXT NOT NULL, 
	content TEXT NOT NULL, 
	CONSTRAINT pk_documents PRIMARY KEY (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "documents" VALUES('2497db68a0362962840a266d667c06809b2d983e0c1d93e43dfbd656582d323e','{"cores": "0,1", "data": "{\"synthetic\": true}", "devices": "GPU-a", "seen": {"cpuset": [0, 1]}}');
INSERT INTO "documents" VALUES('502e9dcb08758c94921e54b6e91086a7c118673925a4418a7869d77a334c5410','{"host": "\\", "version": "1"}');
INSERT INTO "documents" VALUES('7535883402976c468d020caeac9ce2dfbe99b95c0692dcc5c60ac480d35f188c','{"host": "lines\nof\r\nall\rkinds", "version": "1"}');
INSERT INTO "documents" VALUES('7c928167143aa94c59bcace7dd43b205567ac060e74f700a6376ff83356a4160','{"cores": null, "data": null, "devices": null, "seen": null}');
INSERT INTO "documents" VALUES('8281ca01f2208238bacd17fb216e2466d79be04e62b5f87f4c62c4190d61c530','{"host": "\"quoted\", and, commas", "version": "1"}');
INSERT INTO "documents" VALUES('bbaa37c6e9421c783657b306843afe6216d2cde8dfc1820c4b9e61f966b2988e','{"host": "tab\there", "version": "1"}');
INSERT INTO "documents" VALUES('f43b311176b758fd15c431e2d022d1e8068652583899f64defce1ab29a9aa746','{"host": "", "version": "1"}');
INSERT INTO "documents" VALUES('ff951040967d53006e0236b3db1157018ef82909e163abd18c38b42e951bcbcc','{"host": "\\N", "version": "1"}');
CREATE TABLE events (
	event_id INTEGER NOT NULL, 
	campaign_id INTEGER NOT NULL, 
	at_us BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	instance_id INTEGER, 
	attempt_number INTEGER, 
	from_state TEXT, 
	to_state TEXT, 
	message TEXT, 
	subject TEXT, 
	data TEXT, 
	CONSTRAINT pk_events PRIMARY KEY (event_id), 
	CONSTRAINT fk_events_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
);
INSERT INTO "events" VALUES(1,1,1795710473879020,'campaign_registered',NULL,NULL,NULL,NULL,'campaign registered',NULL,NULL);
INSERT INTO "events" VALUES(2,1,1795710473950328,'session_started',NULL,NULL,NULL,NULL,'launch 1 by me','session 1',NULL);
INSERT INTO "events" VALUES(3,1,1790000000123456,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,1,1790000000123456,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,1,1790000000123456,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,1,1790000000123456,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,1,1790000000123456,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,1,1790000000123456,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,1,1790000000123456,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,1,1790000000123456,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,1,1790000000123456,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,1,1790000000123456,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,1,1790000000123456,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,1,1790000000123456,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,1,1790000000123457,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,1,1790000000123457,'transition',0,1,'running','failed','',NULL,NULL);
INSERT INTO "events" VALUES(17,1,1790000000123457,'transition',1,1,'submitted','succeeded','\',NULL,NULL);
INSERT INTO "events" VALUES(18,1,1790000000123457,'transition',2,1,'submitted','succeeded','\N',NULL,NULL);
INSERT INTO "events" VALUES(19,1,1790000000123457,'transition',3,1,'submitted','succeeded','"quoted", and, commas',NULL,NULL);
INSERT INTO "events" VALUES(20,1,1790000000123457,'transition',4,1,'submitted','succeeded','lines
of
allkinds',NULL,NULL);
INSERT INTO "events" VALUES(21,1,1790000000123457,'transition',5,1,'submitted','succeeded','tab	here',NULL,NULL);
INSERT INTO "events" VALUES(22,1,1790000000123457,'transition',6,1,'submitted','succeeded',' spaces ',NULL,NULL);
INSERT INTO "events" VALUES(23,1,1790000000123457,'transition',7,1,'submitted','succeeded','NULL',NULL,NULL);
INSERT INTO "events" VALUES(24,1,1790000000123457,'transition',8,1,'submitted','succeeded','½ µs – 時間 🕰',NULL,NULL);
INSERT INTO "events" VALUES(25,1,1790000000123457,'transition',9,1,'submitted','succeeded','\\server',NULL,NULL);
INSERT INTO "events" VALUES(26,1,1790000000123457,'transition',10,1,'submitted','succeeded','=1+1',NULL,NULL);
INSERT INTO "events" VALUES(27,1,1790000000123457,'transition',11,1,'submitted','succeeded','''single''',NULL,NULL);
INSERT INTO "events" VALUES(28,1,1790000000123456,'transition',0,2,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(29,1,1790000000123457,'transition',0,2,'submitted','lost',NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,1,1790000000123457,'late_report',0,2,'lost','succeeded','{"token": "toy-0.2", "values": {"fom_seconds": 1.0}, "metrics": []}',NULL,NULL);
INSERT INTO "events" VALUES(31,1,1795710474290749,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: exhausted','session 1','{"ends_sha256": "de38fccbb237e2c200aba2bdb83132b83260d509adc199394057157919a2b82c", "events": [3, "c5674f18e70ae1a1df1f13a001ff93a388b5d472fa6208e2ebb907ea8514d4ba"], "open_blocks": [], "outcome": "exhausted", "row_parts": ["23beb93c9e1b21d3c8280f46951322f1f5d112536af2ec9cbf5179324d4db0d1", "978a816369b4f7ae0daa92f036f69a0be75dd12223e396abbfd37938c8ab0b93"], "rows_sha256": "a0c55f8ffce3fdb4b310934cb755f0fcc15dd5a867020ec9cf1b6a3e565466fc", "session": 1}');
CREATE TABLE instances (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	benchmark_index INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	accepted_attempt INTEGER, 
	CONSTRAINT pk_instances PRIMARY KEY (campaign_id, instance_id), 
	CONSTRAINT uq_instances_campaign_seed UNIQUE (campaign_id, seed), 
	CONSTRAINT uq_instances_campaign_benchmark_number UNIQUE (campaign_id, benchmark, benchmark_index), 
	CONSTRAINT fk_instances_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "instances" VALUES(1,0,'toy',0,2017,'exhausted',NULL);
INSERT INTO "instances" VALUES(1,1,'toy',1,2018,'done',1);
INSERT INTO "instances" VALUES(1,2,'toy',2,2019,'done',1);
INSERT INTO "instances" VALUES(1,3,'toy',3,2020,'done',1);
INSERT INTO "instances" VALUES(1,4,'toy',4,2021,'done',1);
INSERT INTO "instances" VALUES(1,5,'toy',5,2022,'done',1);
INSERT INTO "instances" VALUES(1,6,'toy',6,2023,'done',1);
INSERT INTO "instances" VALUES(1,7,'toy',7,2024,'done',1);
INSERT INTO "instances" VALUES(1,8,'toy',8,2025,'done',1);
INSERT INTO "instances" VALUES(1,9,'toy',9,2026,'done',1);
INSERT INTO "instances" VALUES(1,10,'toy',10,2027,'done',1);
INSERT INTO "instances" VALUES(1,11,'toy',11,2028,'done',1);
INSERT INTO "instances" VALUES(1,12,'other',0,2029,'planned',NULL);
INSERT INTO "instances" VALUES(1,13,'other',1,2030,'planned',NULL);
CREATE TABLE metrics (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value FLOAT, 
	unit TEXT NOT NULL, 
	CONSTRAINT pk_metrics PRIMARY KEY (campaign_id, instance_id, attempt_number, name), 
	CONSTRAINT fk_metrics_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
INSERT INTO "metrics" VALUES(1,0,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,0,1,'loss',3.00000000000000044408e-01,'');
INSERT INTO "metrics" VALUES(1,0,1,'odd ',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,1,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,1,1,'loss',3.33333333333333314829e-01,'');
INSERT INTO "metrics" VALUES(1,1,1,'odd \',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,2,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,2,1,'loss',4.94065645841247e-324,'');
INSERT INTO "metrics" VALUES(1,2,1,'odd \N',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,3,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,3,1,'loss',1.79769313486231562234e+308,'');
INSERT INTO "metrics" VALUES(1,3,1,'odd "quoted", and, commas',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,4,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,4,1,'loss',0.0,'');
INSERT INTO "metrics" VALUES(1,4,1,'odd lines\nof\r\nall\rkinds',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,5,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,5,1,'loss',1.23456789012345680004e+16,'');
INSERT INTO "metrics" VALUES(1,5,1,'odd tab\there',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,6,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,6,1,'loss',3.00000000000000044408e-01,'');
INSERT INTO "metrics" VALUES(1,6,1,'odd  spaces ',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,7,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,7,1,'loss',3.33333333333333314829e-01,'');
INSERT INTO "metrics" VALUES(1,7,1,'odd NULL',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,8,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,8,1,'loss',4.94065645841247e-324,'');
INSERT INTO "metrics" VALUES(1,8,1,'odd ½ µs – 時間 🕰',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,9,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,9,1,'loss',1.79769313486231562234e+308,'');
INSERT INTO "metrics" VALUES(1,9,1,'odd \\server',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,10,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,10,1,'loss',0.0,'');
INSERT INTO "metrics" VALUES(1,10,1,'odd =1+1',NULL,'1/s');
INSERT INTO "metrics" VALUES(1,11,1,'energy_joules',3600000.0,'J');
INSERT INTO "metrics" VALUES(1,11,1,'loss',1.23456789012345680004e+16,'');
INSERT INTO "metrics" VALUES(1,11,1,'odd ''single''',NULL,'1/s');
CREATE TABLE points (
	campaign_id INTEGER NOT NULL, 
	benchmark TEXT NOT NULL, 
	axis TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	sweep TEXT NOT NULL, 
	value TEXT NOT NULL, 
	number FLOAT, 
	CONSTRAINT pk_points PRIMARY KEY (campaign_id, benchmark, axis), 
	CONSTRAINT fk_points_campaign_id_benchmark FOREIGN KEY(campaign_id, benchmark) REFERENCES benchmarks (campaign_id, benchmark)
)
 WITHOUT ROWID

;
INSERT INTO "points" VALUES(1,'other','empty',2,'swept','',NULL);
INSERT INTO "points" VALUES(1,'other','gpus',0,'swept','1/4',0.25);
INSERT INTO "points" VALUES(1,'other','loader',1,'swept','½ µs – 時間 🕰',NULL);
INSERT INTO "points" VALUES(1,'toy','batch_size',0,'toys','64',64.0);
CREATE TABLE samples (
	campaign_id INTEGER NOT NULL, 
	instance_id INTEGER NOT NULL, 
	attempt_number INTEGER NOT NULL, 
	quantity TEXT NOT NULL, 
	node TEXT NOT NULL, 
	device TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	source TEXT NOT NULL, 
	begin_us BIGINT NOT NULL, 
	points TEXT NOT NULL, 
	CONSTRAINT pk_samples PRIMARY KEY (campaign_id, instance_id, attempt_number, quantity, node, device), 
	CONSTRAINT fk_samples_campaign_id_instance_id_attempt_number FOREIGN KEY(campaign_id, instance_id, attempt_number) REFERENCES attempts (campaign_id, instance_id, attempt_number)
)
 WITHOUT ROWID

;
INSERT INTO "samples" VALUES(1,0,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,0,1,'odd','','½ µs – 時間 🕰','','',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,1,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,1,1,'odd','\','½ µs – 時間 🕰','','\',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,2,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,2,1,'odd','\N','½ µs – 時間 🕰','','\N',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,3,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,3,1,'odd','"quoted", and, commas','½ µs – 時間 🕰','','"quoted", and, commas',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,4,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,4,1,'odd','lines
of
allkinds','½ µs – 時間 🕰','','lines
of
allkinds',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,5,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,5,1,'odd','tab	here','½ µs – 時間 🕰','','tab	here',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,6,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,6,1,'odd',' spaces ','½ µs – 時間 🕰','',' spaces ',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,7,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,7,1,'odd','NULL','½ µs – 時間 🕰','','NULL',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,8,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,8,1,'odd','½ µs – 時間 🕰','½ µs – 時間 🕰','','½ µs – 時間 🕰',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,9,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,9,1,'odd','\\server','½ µs – 時間 🕰','','\\server',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,10,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,10,1,'odd','=1+1','½ µs – 時間 🕰','','=1+1',1790000000123456,'[]');
INSERT INTO "samples" VALUES(1,11,1,'gpu_power','n1','GPU-a','W','nvml',1790000000123459,'[[0.0, 250.5, 200, 301.2], [2.5, 90]]');
INSERT INTO "samples" VALUES(1,11,1,'odd','''single''','½ µs – 時間 🕰','','''single''',1790000000123456,'[]');
CREATE TABLE sessions (
	campaign_id INTEGER NOT NULL, 
	session_number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	version TEXT NOT NULL, 
	slots INTEGER, 
	started_us BIGINT NOT NULL, 
	ended_us BIGINT, 
	outcome TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (campaign_id, session_number), 
	CONSTRAINT fk_sessions_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaigns (campaign_id)
)
 WITHOUT ROWID

;
INSERT INTO "sessions" VALUES(1,1,'launch','node1',1,'0',2,1795710473918004,1795710474257008,'exhausted');
CREATE INDEX ix_instances_campaign_state_benchmark ON instances (campaign_id, state, benchmark);
CREATE INDEX ix_events_campaign_instance ON events (campaign_id, instance_id);
CREATE INDEX ix_events_noted ON events (campaign_id, event_id) WHERE kind <> 'transition';
CREATE INDEX ix_events_campaign_kind ON events (campaign_id, kind) WHERE kind <> 'transition';
CREATE INDEX ix_events_superseded ON events (campaign_id, instance_id) WHERE kind = 'instance_superseded';
CREATE INDEX ix_attempts_judged ON attempts (campaign_id, observation_sha256, session_number, node, state, fom_seconds, accuracy, run_start_us, run_stop_us, timed_window_start_us, timed_window_stop_us, submitted_us, process_start_us, process_stop_us, received_us, clock_offset_max_us, cpu_seconds, run_start_arrived_us, timed_window_start_arrived_us, timed_window_stop_arrived_us, run_stop_arrived_us, run_start_cpu_seconds, timed_window_stop_cpu_seconds, run_stop_cpu_seconds, clock_offset_min_us) WHERE received_us IS NOT NULL;
CREATE INDEX ix_attempts_campaign_reason ON attempts (campaign_id, failure_reason) WHERE failure_reason IS NOT NULL;
CREATE INDEX ix_attempts_state_campaign ON attempts (state, campaign_id);
CREATE INDEX ix_metrics_judged ON metrics (campaign_id, name, value, instance_id, attempt_number) WHERE name IN ('epochs_run', 'resumed_from_epoch');
CREATE VIEW accepted AS
SELECT c.name AS campaign_name, i.benchmark, i.benchmark_index, i.seed, a.*
FROM attempts a
JOIN instances i
  ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id
  AND i.accepted_attempt = a.attempt_number
JOIN campaigns c ON c.campaign_id = a.campaign_id;
CREATE VIEW counted AS
SELECT * FROM accepted a
WHERE NOT EXISTS (
  SELECT 1 FROM events e
  WHERE e.campaign_id = a.campaign_id AND e.instance_id = a.instance_id AND e.kind = 'instance_superseded'
);
CREATE TRIGGER attempts_final BEFORE UPDATE ON attempts WHEN OLD.state IN ('succeeded', 'failed', 'timed_out', 'lost', 'cancelled') BEGIN SELECT RAISE(ABORT, 'a final attempt never changes'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'attempts are never deleted'); END;
CREATE TRIGGER instances_accepted BEFORE UPDATE ON instances WHEN OLD.accepted_attempt IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an instance is accepted once'); END;
CREATE TRIGGER metrics_unchanged BEFORE UPDATE ON metrics WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'metrics are never changed'); END;
CREATE TRIGGER metrics_kept BEFORE DELETE ON metrics WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'metrics are never deleted'); END;
CREATE TRIGGER samples_unchanged BEFORE UPDATE ON samples WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'samples are never changed'); END;
CREATE TRIGGER samples_kept BEFORE DELETE ON samples WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'samples are never deleted'); END;
CREATE TRIGGER curves_unchanged BEFORE UPDATE ON curves WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'curves are never changed'); END;
CREATE TRIGGER curves_kept BEFORE DELETE ON curves WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'curves are never deleted'); END;
CREATE TRIGGER events_unchanged BEFORE UPDATE ON events WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events WHEN 1 = 1 BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER attempts_not_replaced BEFORE INSERT ON attempts WHEN EXISTS (SELECT 1 FROM attempts WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number) OR EXISTS (SELECT 1 FROM attempts WHERE token = NEW.token) BEGIN SELECT RAISE(ABORT, 'attempts: this row is there already'); END;
CREATE TRIGGER instances_not_replaced BEFORE INSERT ON instances WHEN EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id) OR EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND seed = NEW.seed) OR EXISTS (SELECT 1 FROM instances WHERE campaign_id = NEW.campaign_id AND benchmark = NEW.benchmark AND benchmark_index = NEW.benchmark_index) BEGIN SELECT RAISE(ABORT, 'instances: this row is there already'); END;
CREATE TRIGGER metrics_not_replaced BEFORE INSERT ON metrics WHEN EXISTS (SELECT 1 FROM metrics WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'metrics: this row is there already'); END;
CREATE TRIGGER samples_not_replaced BEFORE INSERT ON samples WHEN EXISTS (SELECT 1 FROM samples WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND quantity = NEW.quantity AND node = NEW.node AND device = NEW.device) BEGIN SELECT RAISE(ABORT, 'samples: this row is there already'); END;
CREATE TRIGGER curves_not_replaced BEFORE INSERT ON curves WHEN EXISTS (SELECT 1 FROM curves WHERE campaign_id = NEW.campaign_id AND instance_id = NEW.instance_id AND attempt_number = NEW.attempt_number AND name = NEW.name) BEGIN SELECT RAISE(ABORT, 'curves: this row is there already'); END;
CREATE TRIGGER events_not_replaced BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE event_id = NEW.event_id) BEGIN SELECT RAISE(ABORT, 'events: this row is there already'); END;
COMMIT;
