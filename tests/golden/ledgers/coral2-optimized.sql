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
INSERT INTO "attempts" VALUES(1,0,1,'coral2-optimized-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000060000000,1790000060108817,1790000065470036,1790000080045021,NULL,NULL,1790000271353209,1790000271651852,1790000271623272,191.308188,0.782047,0,NULL,1791860533,325.224,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-optimized/logs/0.1.out',NULL,NULL,'15d510f5661b56f00f462cce169a738ed3e7203564b7e1f395793a02a5ead4b1',35581,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,1,1,'coral2-optimized-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000060000137,1790000060117986,1790000064631721,1790000080059011,NULL,NULL,1790000274737528,1790000275283879,1790000275253261,194.678517,0.776542,0,NULL,1731793732,330.953,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60484, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-optimized/logs/1.1.out',NULL,NULL,'eb2e48153e07d80560ec9906d2ee7dcab7fdd4de80fd69f967691f4892459519',35411,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,2,1,'coral2-optimized-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000060000274,1790000060098124,1790000064545496,1790000080036211,NULL,NULL,1790000272915621,1790000273394117,1790000273366305,192.87941,0.77968,0,NULL,1289617634,327.895,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-optimized/logs/2.1.out',NULL,NULL,'68f04a152ea511247b8d7bf5a5a0756d51a2996107f94e3f9d58249192815006',35755,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,3,1,'coral2-optimized-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000060000411,1790000060093517,1790000064372278,1790000080052475,NULL,NULL,1790000270596487,1790000271081933,1790000271056516,190.544012,0.779009,0,NULL,1675248082,323.925,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1003, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-optimized/logs/3.1.out',NULL,NULL,'9282c8669becd943debae88954f67548b406c031273cb4682f82909377cb688c',35366,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,4,1,'coral2-optimized-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000277253261,1790000277342950,1790000282986965,1790000297306663,NULL,NULL,1790000304530247,1790000304784671,1790000304759146,7.223584,0.592893,0,NULL,1461210404,12.28,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1004, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-optimized/logs/4.1.out',NULL,NULL,'251a505ac5d00b51a50eaa816f76af34a3ac807c8c5352feefe65c2e82f52ecd',36167,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,5,1,'coral2-optimized-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000277253398,1790000277361903,1790000283089244,1790000297306456,NULL,NULL,1790000304643958,1790000305076776,1790000305050074,7.337502,0.597016,0,NULL,1905228435,12.474,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1005, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-optimized/logs/5.1.out',NULL,NULL,'d036c1319d6743f1e2b62eeae0187d32ab6f0e449c097257f9006a0a4d9e9137',36340,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,6,1,'coral2-optimized-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000277253535,1790000277345080,1790000283081288,1790000297287571,NULL,NULL,1790000304566226,1790000304955730,1790000304929193,7.278655,0.597385,0,NULL,1622714260,12.374,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1006, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-optimized/logs/6.1.out',NULL,NULL,'0edc5680ce1d1edb0dd4cc438f56a16bd03641968d370ed80044ab1506561e36',35485,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,7,1,'coral2-optimized-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000277253672,1790000277342109,1790000281595205,1790000297304187,NULL,NULL,1790000304507745,1790000304983281,1790000304956790,7.203558,0.593459,0,NULL,1712651370,12.246,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1007, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-optimized/logs/7.1.out',NULL,NULL,'df63387e39f2e5c240020d1d5b1f3d6c4191db6e812e4f4bf0bff1f27af17610',35538,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,8,1,'coral2-optimized-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000307050074,1790000307128073,1790000311164563,1790000327108882,1790000329108882,1790000331236255,1790000331336255,1790000331630053,1790000331601667,0.02127373,NULL,0,NULL,1104202691,7.187,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1008, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/8.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',35656,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,9,1,'coral2-optimized-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000307050211,1790000307143963,1790000311777029,1790000327095462,1790000329095462,1790000331259115,1790000331359115,1790000331578607,1790000331549817,0.02163653,NULL,0,NULL,1382742675,7.248,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1009, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/9.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',36523,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,10,1,'coral2-optimized-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000307050348,1790000307142803,1790000311221838,1790000327100087,1790000329100087,1790000331452159,1790000331552159,1790000332148040,1790000332120983,0.02352072,NULL,0,NULL,1791044858,7.569,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1010, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/10.1.out',NULL,NULL,'d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e',35721,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,11,1,'coral2-optimized-11.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000307050485,1790000307136422,1790000312173198,1790000327096756,1790000329096756,1790000331340298,1790000331440298,1790000331662276,1790000331634617,0.02243542,NULL,0,NULL,1994517549,7.384,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1011, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/11.1.out',NULL,NULL,'743a87121e3c0348e5e52e6d12dec9bae192fadef752106a1d81a1b313bd4ca3',36400,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,12,1,'coral2-optimized-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000334120983,1790000334196232,1790000338389315,1790000354176789,1790000356176789,1790000373072105,1790000373172105,1790000373546655,1790000373515809,0.16895316,NULL,0,NULL,1987333944,32.292,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1012, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/12.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',35840,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,13,1,'coral2-optimized-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000334121120,1790000334203348,1790000339677932,1790000354162564,1790000356162564,1790000373363134,1790000373463134,1790000373851943,1790000373824833,0.1720057,NULL,0,NULL,1822940924,32.811,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1013, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/13.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',35459,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,14,1,'coral2-optimized-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000334121257,1790000334233726,1790000338621582,1790000354178045,1790000356178045,1790000373045810,1790000373145810,1790000373349670,1790000373324348,0.16867765,NULL,0,NULL,1888936552,32.245,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1014, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/14.1.out',NULL,NULL,'d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e',36538,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,15,1,'coral2-optimized-15.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000334121394,1790000334223198,1790000338228779,1790000354183147,1790000356183147,1790000372973059,1790000373073059,1790000373420111,1790000373392267,0.16789912,NULL,0,NULL,1368253376,32.113,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1015, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/15.1.out',NULL,NULL,'743a87121e3c0348e5e52e6d12dec9bae192fadef752106a1d81a1b313bd4ca3',34694,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,16,1,'coral2-optimized-16.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000375824833,1790000375901862,1790000381857591,1790000395877879,1790000397877879,1790000406166609,1790000406266609,1790000406700448,1790000406671294,0.0828873,NULL,0,NULL,1846431848,17.661,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1016, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/16.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',35547,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,17,1,'coral2-optimized-17.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000375824970,1790000375924854,1790000381134493,1790000395862099,1790000397862099,1790000406569550,1790000406669550,1790000407044513,1790000407018090,0.08707451,NULL,0,NULL,1729784894,18.373,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1017, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/17.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',35820,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,18,1,'coral2-optimized-18.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000375825107,1790000375901592,1790000381023988,1790000395880765,1790000397880765,1790000406477361,1790000406577361,1790000406917558,1790000406889650,0.08596596,NULL,0,NULL,1848559520,18.184,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1018, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/18.1.out',NULL,NULL,'d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e',36306,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,19,1,'coral2-optimized-19.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000375825244,1790000375904057,1790000381673583,1790000395864477,1790000397864477,1790000406282598,1790000406382598,1790000406634608,1790000406604126,0.08418121,NULL,0,NULL,1923324763,17.881,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1019, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/19.1.out',NULL,NULL,'743a87121e3c0348e5e52e6d12dec9bae192fadef752106a1d81a1b313bd4ca3',35463,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,20,1,'coral2-optimized-20.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000409018090,1790000409109740,1790000414756876,1790000429064653,1790000431064653,1790000454700812,1790000454800812,1790000455262485,1790000455233032,0.23636159,NULL,0,NULL,1412841623,43.751,'4f38acd9eeea6d6ab145e99173476c887500b0a20d8b383c1f69d675b602e0b9','{"cpuset": [0, 1], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1020, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/20.1.out',NULL,NULL,'2ebc15987ef00e05843e47fcffe0511e58ad36314a86c53da9bfef0408c1b4f3',34631,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,21,1,'coral2-optimized-21.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000409018227,1790000409092628,1790000414309834,1790000429062904,1790000431062904,1790000454160211,1790000454260211,1790000454611517,1790000454581095,0.23097307,NULL,0,NULL,1453083604,42.835,'4f38acd9eeea6d6ab145e99173476c887500b0a20d8b383c1f69d675b602e0b9','{"cpuset": [2, 3], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1021, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/21.1.out',NULL,NULL,'1348cf76d55a965037f5a050f07ab38be411d1a6808d07cf5c25ac45fb4204d7',36335,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,22,1,'coral2-optimized-22.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000409018364,1790000409098848,1790000414397693,1790000429063203,1790000431063203,1790000454620078,1790000454720078,1790000455055906,1790000455026753,0.23556875,NULL,0,NULL,1255876459,43.617,'4f38acd9eeea6d6ab145e99173476c887500b0a20d8b383c1f69d675b602e0b9','{"cpuset": [4, 5], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1022, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/22.1.out',NULL,NULL,'a9d4f7759ab1761720e7e1a42592211603feb1f94bc4880edd1fbeb4ff27f410',35395,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,23,1,'coral2-optimized-23.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000409018501,1790000409141640,1790000413705102,1790000429069550,1790000431069550,1790000454496666,1790000454596666,1790000454885144,1790000454856101,0.23427116,NULL,0,NULL,2046728538,43.396,'4f38acd9eeea6d6ab145e99173476c887500b0a20d8b383c1f69d675b602e0b9','{"cpuset": [6, 7], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1023, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/23.1.out',NULL,NULL,'aadc9759ae1fa131422d5939db180a56a1cadc5b78776e8ee040aa2373e4dbe9',35662,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,24,1,'coral2-optimized-24.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790000457233032,1790000457327100,1790000462863501,1790000477267329,1790000479267329,1790000479901908,1790000480001908,1790000480297792,1790000480272322,4.95764844e-05,NULL,0,NULL,1345318913,4.649,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1024, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/24.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',35264,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,25,1,'coral2-optimized-25.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790000457233169,1790000457350380,1790000462217484,1790000477291730,1790000479291730,1790000479942254,1790000480042254,1790000480461080,1790000480435410,5.08221875e-05,NULL,0,NULL,1581302335,4.676,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1025, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/25.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',35156,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,26,1,'coral2-optimized-26.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790000457233306,1790000457307645,1790000463182940,1790000477267404,1790000479267404,1790000479911931,1790000480011931,1790000480559586,1790000480530802,5.03536719e-05,NULL,0,NULL,1996239319,4.666,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1026, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/26.1.out',NULL,NULL,'d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e',34685,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,27,1,'coral2-optimized-27.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',3,'6,7','GPU-nid0000-3',1790000457233443,1790000457327996,1790000461860446,1790000477285472,1790000479285472,1790000480010883,1790000480110883,1790000480376511,1790000480350987,5.66727344e-05,NULL,0,NULL,1840093632,4.803,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1027, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized/logs/27.1.out',NULL,NULL,'743a87121e3c0348e5e52e6d12dec9bae192fadef752106a1d81a1b313bd4ca3',36178,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,28,1,'coral2-optimized-28.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1,2,3','GPU-nid0000-0,GPU-nid0000-1',1790000482530802,1790000482613670,1790000487040614,1790000502586011,NULL,NULL,1790000911916600,1790000912288907,1790000912259722,409.330589,77.7221,0,NULL,2097861288,695.862,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1028, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0000", "pid": 2280}, {"cpuset": [2, 3], "host": "nid0000", "pid": 2281}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/28.1.out',NULL,NULL,'0c4a9e9865f37453c06162c7495a096a37542ce238656a2f3e66169ca77b0222',35796,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,29,1,'coral2-optimized-29.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'4,5,6,7','GPU-nid0000-2,GPU-nid0000-3',1790000482530939,1790000482639243,1790000488065898,1790000502569653,NULL,NULL,1790000916173539,1790000916558184,1790000916527873,413.603886,77.6847,0,NULL,1890783394,703.127,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1029, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0000", "pid": 2290}, {"cpuset": [6, 7], "host": "nid0000", "pid": 2291}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/29.1.out',NULL,NULL,'3363c6a4d55f8159c9071b5cacbb1f31464fc9860e69e194a13d9cbd2fed2d52',35253,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,30,1,'coral2-optimized-30.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1,2,3','GPU-nid0001-0,GPU-nid0001-1',1790000482531076,1790000482613695,1790000487549256,1790000502589008,NULL,NULL,1790000904343450,1790000904635085,1790000904603549,401.754442,77.364,0,NULL,1663911911,682.983,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1030, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0001", "pid": 2300}, {"cpuset": [2, 3], "host": "nid0001", "pid": 2301}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/30.1.out',NULL,NULL,'5037be62712a40966ba8f1e7fb0f67ff847af2dcd2aabb76ca4530998f98f53c',36605,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,31,1,'coral2-optimized-31.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'4,5,6,7','GPU-nid0001-2,GPU-nid0001-3',1790000482531213,1790000482629516,1790000487412306,1790000502585787,NULL,NULL,1790000906243009,1790000906472537,1790000906445626,403.657222,77.8358,0,NULL,1934363567,686.217,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-2"}, {"name": "A100", "uuid": "GPU-nid0001-3"}], "host": "nid0001", "pid": 1031, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0001", "pid": 2310}, {"cpuset": [6, 7], "host": "nid0001", "pid": 2311}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/31.1.out',NULL,NULL,'1460919da5b1723c03880a5ccf5e1fbe99f4dc58086b13a8c595f0e415c1a0c1',35230,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,32,1,'coral2-optimized-32.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',0,'0,1,2,3','GPU-nid0002-0,GPU-nid0002-1',1790000482531350,1790000482567038,1790000487345858,1790000502532644,NULL,NULL,1790000904178149,1790000904505638,1790000904514295,401.645505,77.5666,0,NULL,2044446086,682.797,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}, {"name": "A100", "uuid": "GPU-nid0002-1"}], "host": "nid0002", "pid": 1032, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0002", "pid": 2320}, {"cpuset": [2, 3], "host": "nid0002", "pid": 2321}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/32.1.out',NULL,NULL,'d8dc5fae6b747930838a593b352751e9ec23aa0a000e2b5df25a040e0996b0d2',-2732,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,33,1,'coral2-optimized-33.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',1,'4,5,6,7','GPU-nid0002-2,GPU-nid0002-3',1790000482531487,1790000482588922,1790000487742435,1790000502542300,NULL,NULL,1790000920046939,1790000920573024,1790000920581964,417.504639,78.0721,0,NULL,1866567858,709.758,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-2"}, {"name": "A100", "uuid": "GPU-nid0002-3"}], "host": "nid0002", "pid": 1033, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0002", "pid": 2330}, {"cpuset": [6, 7], "host": "nid0002", "pid": 2331}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/33.1.out',NULL,NULL,'5219e7e24d98c10b27f2d147a2c4810356a51e8830ca4fd559990da0f5027b93',-4290,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,34,1,'coral2-optimized-34.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0003',0,'0,1,2,3','GPU-nid0003-0,GPU-nid0003-1',1790000482531624,1790000482615429,1790000488148925,1790000502540806,NULL,NULL,1790000903467848,1790000903789172,1790000903790688,400.927042,77.6848,0,NULL,1799427528,681.576,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-0"}, {"name": "A100", "uuid": "GPU-nid0003-1"}], "host": "nid0003", "pid": 1034, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0003", "pid": 2340}, {"cpuset": [2, 3], "host": "nid0003", "pid": 2341}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/34.1.out',NULL,NULL,'5eb90939da7da0ad7e5e3bbbb11f768407f01e18d01d35dd1973d4b6ea9df79e',8454,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,35,1,'coral2-optimized-35.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0003',1,'4,5,6,7','GPU-nid0003-2,GPU-nid0003-3',1790000482531761,1790000482605350,1790000487184026,1790000502553488,NULL,NULL,1790000906622966,1790000907033647,1790000907029971,404.069478,77.9812,0,NULL,1457145098,686.918,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-2"}, {"name": "A100", "uuid": "GPU-nid0003-3"}], "host": "nid0003", "pid": 1035, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0003", "pid": 2350}, {"cpuset": [6, 7], "host": "nid0003", "pid": 2351}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/35.1.out',NULL,NULL,'e7268bfd67d7bd3fd26b41cd63d403f66f6f6c11cd251c6892f65b1524485693',8629,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,36,1,'coral2-optimized-36.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0004',0,'0,1,2,3','GPU-nid0004-0,GPU-nid0004-1',1790000482531898,1790000482614227,1790000488331094,1790000502583816,NULL,NULL,1790000920584585,1790000921102502,1790000921074773,418.000769,77.5869,0,NULL,1376487697,710.601,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-0"}, {"name": "A100", "uuid": "GPU-nid0004-1"}], "host": "nid0004", "pid": 1036, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0004", "pid": 2360}, {"cpuset": [2, 3], "host": "nid0004", "pid": 2361}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/36.1.out',NULL,NULL,'2037aa2f3261db4c2757e670f198cbd58567b91e50411925ad61d4eaa6b8b570',35900,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,37,1,'coral2-optimized-37.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0004',1,'4,5,6,7','GPU-nid0004-2,GPU-nid0004-3',1790000482532035,1790000482654351,1790000488231312,1790000502589606,NULL,NULL,1790000911392751,1790000911618460,1790000911590479,408.803145,77.6907,0,NULL,1113759244,694.965,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-2"}, {"name": "A100", "uuid": "GPU-nid0004-3"}], "host": "nid0004", "pid": 1037, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0004", "pid": 2370}, {"cpuset": [6, 7], "host": "nid0004", "pid": 2371}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/37.1.out',NULL,NULL,'13f0189d0d470af4539eb0282cd47805375a4698d71682a10576feab5a432959',36263,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,38,1,'coral2-optimized-38.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0005',0,'0,1,2,3','GPU-nid0005-0,GPU-nid0005-1',1790000482532172,1790000482598840,1790000488296008,1790000502559873,NULL,NULL,1790000910808331,1790000911278507,1790000911280876,408.248458,77.7411,0,NULL,1571370023,694.022,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-0"}, {"name": "A100", "uuid": "GPU-nid0005-1"}], "host": "nid0005", "pid": 1038, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0005", "pid": 2380}, {"cpuset": [2, 3], "host": "nid0005", "pid": 2381}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/38.1.out',NULL,NULL,'fe64443a60028a24770d6d6159cf5c8443c1da8f00a81596a3c53d2f12bff9e2',6642,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,39,1,'coral2-optimized-39.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0005',1,'4,5,6,7','GPU-nid0005-2,GPU-nid0005-3',1790000482532309,1790000482614314,1790000488449339,1790000502565937,NULL,NULL,1790000900170791,1790000900536048,1790000900538962,397.604854,77.5365,0,NULL,1090137959,675.928,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-2"}, {"name": "A100", "uuid": "GPU-nid0005-3"}], "host": "nid0005", "pid": 1039, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0005", "pid": 2390}, {"cpuset": [6, 7], "host": "nid0005", "pid": 2391}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/39.1.out',NULL,NULL,'2e1b09e16af25c6c5bfe1f09006e26d6092865d55c2e07d56c7cca439ba5e665',7206,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,40,1,'coral2-optimized-40.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0006',0,'0,1,2,3','GPU-nid0006-0,GPU-nid0006-1',1790000482532446,1790000482600895,1790000487640911,1790000502538065,NULL,NULL,1790000905180152,1790000905393006,1790000905407527,402.642087,78.0338,0,NULL,1166821275,684.492,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-0"}, {"name": "A100", "uuid": "GPU-nid0006-1"}], "host": "nid0006", "pid": 1040, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0006", "pid": 2400}, {"cpuset": [2, 3], "host": "nid0006", "pid": 2401}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/40.1.out',NULL,NULL,'1aaddb7d2ea1c67f0cdbaa1da61c29361d019ecbff0ff9c8c714f55b5ef46c1f',-5088,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,41,1,'coral2-optimized-41.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0006',1,'4,5,6,7','GPU-nid0006-2,GPU-nid0006-3',1790000482532583,1790000482592380,1790000486869609,1790000502553887,NULL,NULL,1790000912787851,1790000913348780,1790000913361736,410.233964,77.5122,0,NULL,1217254303,697.398,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-2"}, {"name": "A100", "uuid": "GPU-nid0006-3"}], "host": "nid0006", "pid": 1041, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0006", "pid": 2410}, {"cpuset": [6, 7], "host": "nid0006", "pid": 2411}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/41.1.out',NULL,NULL,'e82b51a437d14bf3f06e7822889aa3bc49f402c3f3057db2e34526ff3c9ed32d',-4856,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,42,1,'coral2-optimized-42.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0007',0,'0,1,2,3','GPU-nid0007-0,GPU-nid0007-1',1790000482532720,1790000482612320,1790000487873995,1790000502549676,NULL,NULL,1790000921984436,1790000922239884,1790000922230437,419.43476,77.6939,0,NULL,2016051369,713.039,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-0"}, {"name": "A100", "uuid": "GPU-nid0007-1"}], "host": "nid0007", "pid": 1042, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0007", "pid": 2420}, {"cpuset": [2, 3], "host": "nid0007", "pid": 2421}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/42.1.out',NULL,NULL,'bd30f8f75746fc4c39b08a6c126b04348f99b2bf70df63c89929bc7c4bfd0f0e',20015,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,43,1,'coral2-optimized-43.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0007',1,'4,5,6,7','GPU-nid0007-2,GPU-nid0007-3',1790000482532857,1790000482639288,1790000487830733,1790000502565865,NULL,NULL,1790000923837691,1790000924055052,1790000924044252,421.271826,77.4393,0,NULL,2077812432,716.162,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-2"}, {"name": "A100", "uuid": "GPU-nid0007-3"}], "host": "nid0007", "pid": 1043, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0007", "pid": 2430}, {"cpuset": [6, 7], "host": "nid0007", "pid": 2431}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/43.1.out',NULL,NULL,'e12b2968fe581c7fe6c2daeb7e03dacdd788851d4865c7a96371249fe709c7d2',19316,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,44,1,'coral2-optimized-44.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0008',0,'0,1,2,3','GPU-nid0008-0,GPU-nid0008-1',1790000482532994,1790000482583569,1790000488467130,1790000502537385,NULL,NULL,1790000914015531,1790000914355069,1790000914368447,411.478146,77.8928,0,NULL,1470926434,699.513,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-0"}, {"name": "A100", "uuid": "GPU-nid0008-1"}], "host": "nid0008", "pid": 1044, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0008", "pid": 2440}, {"cpuset": [2, 3], "host": "nid0008", "pid": 2441}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/44.1.out',NULL,NULL,'ec6237399727e749f1b4df710068d07827aa9e29383e7ec8d629ba762cc0edb0',-5240,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,45,1,'coral2-optimized-45.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0008',1,'4,5,6,7','GPU-nid0008-2,GPU-nid0008-3',1790000482533131,1790000482597590,1790000486750532,1790000502540169,NULL,NULL,1790000917307587,1790000917839944,1790000917849265,414.767418,77.4536,0,NULL,1708358355,705.105,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-2"}, {"name": "A100", "uuid": "GPU-nid0008-3"}], "host": "nid0008", "pid": 1045, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0008", "pid": 2450}, {"cpuset": [6, 7], "host": "nid0008", "pid": 2451}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/45.1.out',NULL,NULL,'f9a5b2de0d352ade9e751b6612b6679a567d70e22f71c21e49739d53621ad11b',-4299,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,46,1,'coral2-optimized-46.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0009',0,'0,1,2,3','GPU-nid0009-0,GPU-nid0009-1',1790000482533268,1790000482582202,1790000487161702,1790000502549333,NULL,NULL,1790000913705752,1790000914304407,1790000914311825,411.156419,77.5867,0,NULL,1999314426,698.966,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-0"}, {"name": "A100", "uuid": "GPU-nid0009-1"}], "host": "nid0009", "pid": 1046, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0009", "pid": 2460}, {"cpuset": [2, 3], "host": "nid0009", "pid": 2461}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/46.1.out',NULL,NULL,'b2f6b7b0b03cccdeb74f1ec8a01e9743603277340ffd39014a2cca88291eb218',1472,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,47,1,'coral2-optimized-47.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0009',1,'4,5,6,7','GPU-nid0009-2,GPU-nid0009-3',1790000482533405,1790000482611420,1790000487913255,1790000502547117,NULL,NULL,1790000922339308,1790000922891878,1790000922894558,419.792191,77.6984,0,NULL,1151426161,713.647,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-2"}, {"name": "A100", "uuid": "GPU-nid0009-3"}], "host": "nid0009", "pid": 1047, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0009", "pid": 2470}, {"cpuset": [6, 7], "host": "nid0009", "pid": 2471}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/47.1.out',NULL,NULL,'119811d53b0271322adfb3b2523b52910c8c0c76104ef9a715a5ffb2fc77869d',2170,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,48,1,'coral2-optimized-48.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0010',0,'0,1,2,3','GPU-nid0010-0,GPU-nid0010-1',1790000482533542,1790000482606866,1790000487112108,1790000502591679,NULL,NULL,1790000905957049,1790000906417885,1790000906392499,403.36537,77.4197,0,NULL,1731858662,685.721,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-0"}, {"name": "A100", "uuid": "GPU-nid0010-1"}], "host": "nid0010", "pid": 1048, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0010", "pid": 2480}, {"cpuset": [2, 3], "host": "nid0010", "pid": 2481}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/48.1.out',NULL,NULL,'583d535cff6de57abe65eee012134508c6e3741e260dcdec9f37105c28ed01ce',32957,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,49,1,'coral2-optimized-49.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0010',1,'4,5,6,7','GPU-nid0010-2,GPU-nid0010-3',1790000482533679,1790000482624232,1790000486805164,1790000502568025,NULL,NULL,1790000909224116,1790000909598389,1790000909571509,406.656091,77.3266,0,NULL,1883704735,691.315,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-2"}, {"name": "A100", "uuid": "GPU-nid0010-3"}], "host": "nid0010", "pid": 1049, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0010", "pid": 2490}, {"cpuset": [6, 7], "host": "nid0010", "pid": 2491}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/49.1.out',NULL,NULL,'fbdab05b225cfa1dd5899f18b1a682075a96a64c2388d44139dbf44b78ee4e66',33249,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,50,1,'coral2-optimized-50.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0011',0,'0,1,2,3','GPU-nid0011-0,GPU-nid0011-1',1790000482533816,1790000482544426,1790000487693445,1790000502516943,NULL,NULL,1790000918179016,1790000918593014,1790000918632452,415.662073,77.788,0,NULL,1670092854,706.626,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-0"}, {"name": "A100", "uuid": "GPU-nid0011-1"}], "host": "nid0011", "pid": 1050, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0011", "pid": 2500}, {"cpuset": [2, 3], "host": "nid0011", "pid": 2501}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/50.1.out',NULL,NULL,'c3b15cb873e40bf5955b67206ccbd46f9be6665c8ee6c25fdb4ffed3a60ab201',-31982,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,51,1,'coral2-optimized-51.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0011',1,'4,5,6,7','GPU-nid0011-2,GPU-nid0011-3',1790000482533953,1790000482567050,1790000486592262,1790000502518187,NULL,NULL,1790000901973364,1790000902307104,1790000902350077,399.455177,77.4229,0,NULL,1158130819,679.074,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-2"}, {"name": "A100", "uuid": "GPU-nid0011-3"}], "host": "nid0011", "pid": 1051, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0011", "pid": 2510}, {"cpuset": [6, 7], "host": "nid0011", "pid": 2511}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/51.1.out',NULL,NULL,'e3c52ca675ebdf694fd97f1abdd74b0b9318091216ed2aaf808cc5b8c7d6c1cb',-32594,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,52,1,'coral2-optimized-52.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0012',0,'0,1,2,3','GPU-nid0012-0,GPU-nid0012-1',1790000482534090,1790000482585110,1790000486746028,1790000502514113,NULL,NULL,1790000908163903,1790000908434361,1790000908466633,405.64979,77.3174,0,NULL,1855875855,689.605,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-0"}, {"name": "A100", "uuid": "GPU-nid0012-1"}], "host": "nid0012", "pid": 1052, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0012", "pid": 2520}, {"cpuset": [2, 3], "host": "nid0012", "pid": 2521}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/52.1.out',NULL,NULL,'a3a0c29d217095a71b502127c8058f0920cfd348601fcda4ba256bb38f97b099',-24361,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,53,1,'coral2-optimized-53.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0012',1,'4,5,6,7','GPU-nid0012-2,GPU-nid0012-3',1790000482534227,1790000482592278,1790000487060561,1790000502516678,NULL,NULL,1790000904661724,1790000905207288,1790000905237148,402.145046,77.3961,0,NULL,1732404335,683.647,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-2"}, {"name": "A100", "uuid": "GPU-nid0012-3"}], "host": "nid0012", "pid": 1053, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0012", "pid": 2530}, {"cpuset": [6, 7], "host": "nid0012", "pid": 2531}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/53.1.out',NULL,NULL,'4db20039e25c9aa337453ca0ad4456710d55770e9e5f6cee8b7718e475678545',-25778,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,54,1,'coral2-optimized-54.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0013',0,'0,1,2,3','GPU-nid0013-0,GPU-nid0013-1',1790000482534364,1790000482613834,1790000487258244,1790000502571413,NULL,NULL,1790000911254271,1790000911617510,1790000911601828,408.682858,77.7199,0,NULL,1751530077,694.761,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-0"}, {"name": "A100", "uuid": "GPU-nid0013-1"}], "host": "nid0013", "pid": 1054, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0013", "pid": 2540}, {"cpuset": [2, 3], "host": "nid0013", "pid": 2541}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/54.1.out',NULL,NULL,'ac36cee7a4483c814a0317684c6e7bfb8cdb910d0f6d7d871485e043fd224ced',26240,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,55,1,'coral2-optimized-55.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0013',1,'4,5,6,7','GPU-nid0013-2,GPU-nid0013-3',1790000482534501,1790000482636179,1790000487467391,1790000502569741,NULL,NULL,1790000909281175,1790000909744289,1790000909727329,406.711434,77.7889,0,NULL,1845578347,691.409,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-2"}, {"name": "A100", "uuid": "GPU-nid0013-3"}], "host": "nid0013", "pid": 1055, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0013", "pid": 2550}, {"cpuset": [6, 7], "host": "nid0013", "pid": 2551}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/55.1.out',NULL,NULL,'78fe29524ab23c1b0ae6dc4a3915cd2d232a178cf2501f9ee4e59ae431175a6f',25015,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,56,1,'coral2-optimized-56.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0014',0,'0,1,2,3','GPU-nid0014-0,GPU-nid0014-1',1790000482534638,1790000482597839,1790000487020242,1790000502522874,NULL,NULL,1790000909931249,1790000910515353,1790000910544992,407.408375,77.8956,0,NULL,1327573905,692.594,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-0"}, {"name": "A100", "uuid": "GPU-nid0014-1"}], "host": "nid0014", "pid": 1056, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0014", "pid": 2560}, {"cpuset": [2, 3], "host": "nid0014", "pid": 2561}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/56.1.out',NULL,NULL,'07bcd52919e263399b831f2844156a1ed4c3b6ebb3f22fc1c3379774ef8e6086',-24878,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,57,1,'coral2-optimized-57.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0014',1,'4,5,6,7','GPU-nid0014-2,GPU-nid0014-3',1790000482534775,1790000482561660,1790000487490760,1790000502523374,NULL,NULL,1790000899667648,1790000900202187,1790000900235202,397.144274,77.809,0,NULL,1313092391,675.145,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-2"}, {"name": "A100", "uuid": "GPU-nid0014-3"}], "host": "nid0014", "pid": 1057, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0014", "pid": 2570}, {"cpuset": [6, 7], "host": "nid0014", "pid": 2571}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/57.1.out',NULL,NULL,'9e9e57444913dab33bae924cfc1e6d35cac193cc97f2774fd766e9a4d81269ac',-25673,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,58,1,'coral2-optimized-58.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0015',0,'0,1,2,3','GPU-nid0015-0,GPU-nid0015-1',1790000482534912,1790000482586996,1790000488341706,1790000502537383,NULL,NULL,1790000907554236,1790000908144276,1790000908166835,405.016853,77.8445,0,NULL,1494935727,688.529,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-0"}, {"name": "A100", "uuid": "GPU-nid0015-1"}], "host": "nid0015", "pid": 1058, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0015", "pid": 2580}, {"cpuset": [2, 3], "host": "nid0015", "pid": 2581}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/58.1.out',NULL,NULL,'28cf64a365baffcfaeca30353dfa3266fb2a8ba236e5ecef2b0d2bc01740e0f1',-14342,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,59,1,'coral2-optimized-59.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0015',1,'4,5,6,7','GPU-nid0015-2,GPU-nid0015-3',1790000482535049,1790000482591480,1790000487848173,1790000502525022,NULL,NULL,1790000923685297,1790000924201605,1790000924220538,421.160275,77.7133,0,NULL,1636544250,715.972,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-2"}, {"name": "A100", "uuid": "GPU-nid0015-3"}], "host": "nid0015", "pid": 1059, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0015", "pid": 2590}, {"cpuset": [6, 7], "host": "nid0015", "pid": 2591}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/59.1.out',NULL,NULL,'52d553ac088952fdcb287042a2634b6bf0daff53c98b7e33d7813d051fc9a4b3',-13884,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,60,1,'coral2-optimized-60.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0016',0,'0,1,2,3','GPU-nid0016-0,GPU-nid0016-1',1790000482535186,1790000482614444,1790000487330299,1790000502562288,NULL,NULL,1790000914620569,1790000915063934,1790000915049274,412.058281,77.8082,0,NULL,1762504338,700.499,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-0"}, {"name": "A100", "uuid": "GPU-nid0016-1"}], "host": "nid0016", "pid": 1060, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0016", "pid": 2600}, {"cpuset": [2, 3], "host": "nid0016", "pid": 2601}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/60.1.out',NULL,NULL,'ac2c2ee073d72d47c0c4c38eb2896f564c475ebcd5da3d4fbb52be64b2562ffb',20349,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,61,1,'coral2-optimized-61.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0016',1,'4,5,6,7','GPU-nid0016-2,GPU-nid0016-3',1790000482535323,1790000482603882,1790000486990178,1790000502549787,NULL,NULL,1790000910533942,1790000910954086,1790000910939775,407.984155,77.5712,0,NULL,1987753441,693.573,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-2"}, {"name": "A100", "uuid": "GPU-nid0016-3"}], "host": "nid0016", "pid": 1061, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0016", "pid": 2610}, {"cpuset": [6, 7], "host": "nid0016", "pid": 2611}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/61.1.out',NULL,NULL,'9289a32d09f8af00f17dba730496e81d12e081941e5c4b380c421563dae5c1c9',19098,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,62,1,'coral2-optimized-62.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0017',0,'0,1,2,3','GPU-nid0017-0,GPU-nid0017-1',1790000482535460,1790000482609140,1790000487825171,1790000502525476,NULL,NULL,1790000902607792,1790000902896727,1790000902916463,400.082316,77.9174,0,NULL,1615275668,680.14,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-0"}, {"name": "A100", "uuid": "GPU-nid0017-1"}], "host": "nid0017", "pid": 1062, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0017", "pid": 2620}, {"cpuset": [2, 3], "host": "nid0017", "pid": 2621}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/62.1.out',NULL,NULL,'20b0971e94678328b3903b87bf61ec058ef6c3f0891f1884a5d3a1ada2da41fa',-13599,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,63,1,'coral2-optimized-63.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0017',1,'4,5,6,7','GPU-nid0017-2,GPU-nid0017-3',1790000482535597,1790000482598601,1790000488001866,1790000502542641,NULL,NULL,1790000921384502,1790000921927980,1790000921951126,418.841861,77.5728,0,NULL,2094749018,712.031,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-2"}, {"name": "A100", "uuid": "GPU-nid0017-3"}], "host": "nid0017", "pid": 1063, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0017", "pid": 2630}, {"cpuset": [6, 7], "host": "nid0017", "pid": 2631}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/63.1.out',NULL,NULL,'14c97c3768343007b0edbe371b06659b65be08487188886c4bc59617e4b6d79e',-13034,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,64,1,'coral2-optimized-64.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0018',0,'0,1,2,3','GPU-nid0018-0,GPU-nid0018-1',1790000482535734,1790000482608465,1790000486873736,1790000502523555,NULL,NULL,1790000919978141,1790000920535824,1790000920554956,417.454586,77.7681,0,NULL,1081638396,709.673,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-0"}, {"name": "A100", "uuid": "GPU-nid0018-1"}], "host": "nid0018", "pid": 1064, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0018", "pid": 2640}, {"cpuset": [2, 3], "host": "nid0018", "pid": 2641}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/64.1.out',NULL,NULL,'1a942c07dde6deb5d64a658fda813d207da95a8b71b04de0ccdc065037a3383d',-11852,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,65,1,'coral2-optimized-65.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0018',1,'4,5,6,7','GPU-nid0018-2,GPU-nid0018-3',1790000482535871,1790000482584179,1790000487419931,1790000502544625,NULL,NULL,1790000916170755,1790000916552980,1790000916570261,413.62613,77.6676,0,NULL,1584969809,703.164,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-2"}, {"name": "A100", "uuid": "GPU-nid0018-3"}], "host": "nid0018", "pid": 1065, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0018", "pid": 2650}, {"cpuset": [6, 7], "host": "nid0018", "pid": 2651}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/65.1.out',NULL,NULL,'56b4fabd311aea8e6abfbda633ecbd736d8f83d7cf801aefc2971323305496e1',-11719,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,66,1,'coral2-optimized-66.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0019',0,'0,1,2,3','GPU-nid0019-0,GPU-nid0019-1',1790000482536008,1790000482634788,1790000487076247,1790000502553148,NULL,NULL,1790000900823984,1790000901379772,1790000901373942,398.270836,77.832,0,NULL,1851849960,677.06,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-0"}, {"name": "A100", "uuid": "GPU-nid0019-1"}], "host": "nid0019", "pid": 1066, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0019", "pid": 2660}, {"cpuset": [2, 3], "host": "nid0019", "pid": 2661}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/66.1.out',NULL,NULL,'c3aa4bcd30eaa70dd4c512022db155e4ddefe8b29d0e0cefb7e58699df7f1160',14461,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,67,1,'coral2-optimized-67.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0019',1,'4,5,6,7','GPU-nid0019-2,GPU-nid0019-3',1790000482536145,1790000482593912,1790000487443047,1790000502557589,NULL,NULL,1790000915962675,1790000916412005,1790000916405418,413.405086,77.8288,0,NULL,1910050680,702.789,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-2"}, {"name": "A100", "uuid": "GPU-nid0019-3"}], "host": "nid0019", "pid": 1067, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0019", "pid": 2670}, {"cpuset": [6, 7], "host": "nid0019", "pid": 2671}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/67.1.out',NULL,NULL,'b65cd2b4704ff1d14b9a68fe9c2c064043c33a829e1fc27656a7d939a6726c49',13411,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,68,1,'coral2-optimized-68.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0020',0,'0,1,2,3','GPU-nid0020-0,GPU-nid0020-1',1790000482536282,1790000482637982,1790000488317451,1790000502559798,NULL,NULL,1790000917285108,1790000917745693,1790000917724026,414.72531,77.3742,0,NULL,1595492776,705.033,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-0"}, {"name": "A100", "uuid": "GPU-nid0020-1"}], "host": "nid0020", "pid": 1068, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0020", "pid": 2680}, {"cpuset": [2, 3], "host": "nid0020", "pid": 2681}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/68.1.out',NULL,NULL,'f3c1f55e63b46d77108a2365c77d56853a2ead92d9b6dd6d980e01863ce32fe0',28083,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,69,1,'coral2-optimized-69.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0020',1,'4,5,6,7','GPU-nid0020-2,GPU-nid0020-3',1790000482536419,1790000482638608,1790000487787185,1790000502568882,NULL,NULL,1790000917484973,1790000918078473,1790000918057030,414.916091,77.3775,0,NULL,1292206362,705.357,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-2"}, {"name": "A100", "uuid": "GPU-nid0020-3"}], "host": "nid0020", "pid": 1069, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0020", "pid": 2690}, {"cpuset": [6, 7], "host": "nid0020", "pid": 2691}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/69.1.out',NULL,NULL,'50df328afbe7d055beb692119314111edd1d5e0e9e61dceb15bef63c8db9eaa7',28574,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,70,1,'coral2-optimized-70.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0021',0,'0,1,2,3','GPU-nid0021-0,GPU-nid0021-1',1790000482536556,1790000482646775,1790000487435818,1790000502570184,NULL,NULL,1790000900439184,1790000900718633,1790000900696170,397.869,77.9517,0,NULL,2078480137,676.377,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-0"}, {"name": "A100", "uuid": "GPU-nid0021-1"}], "host": "nid0021", "pid": 1070, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0021", "pid": 2700}, {"cpuset": [2, 3], "host": "nid0021", "pid": 2701}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/70.1.out',NULL,NULL,'d4fff4c105b538f5faf5c54c2c763896b6706e2943b4aa69858cddf424a0c365',32925,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,71,1,'coral2-optimized-71.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0021',1,'4,5,6,7','GPU-nid0021-2,GPU-nid0021-3',1790000482536693,1790000482639493,1790000487678996,1790000502580607,NULL,NULL,1790000901688346,1790000901943860,1790000901918223,399.107739,77.5474,0,NULL,2042170424,678.483,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-2"}, {"name": "A100", "uuid": "GPU-nid0021-3"}], "host": "nid0021", "pid": 1071, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0021", "pid": 2710}, {"cpuset": [6, 7], "host": "nid0021", "pid": 2711}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/71.1.out',NULL,NULL,'0dc47b82ea951d751cf086996d846998a7fea752c76aadd2a74e1cde668c7cb2',33018,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,72,1,'coral2-optimized-72.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0022',0,'0,1,2,3','GPU-nid0022-0,GPU-nid0022-1',1790000482536830,1790000482590617,1790000487997313,1790000502557311,NULL,NULL,1790000918985796,1790000919404858,1790000919408225,416.428485,77.9176,0,NULL,2085019281,707.928,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-0"}, {"name": "A100", "uuid": "GPU-nid0022-1"}], "host": "nid0022", "pid": 1072, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0022", "pid": 2720}, {"cpuset": [2, 3], "host": "nid0022", "pid": 2721}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/72.1.out',NULL,NULL,'336709181245267dc1b06c10f98431d13da1f2c6e6074d74fbf5539c658a1ff0',5692,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,73,1,'coral2-optimized-73.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0022',1,'4,5,6,7','GPU-nid0022-2,GPU-nid0022-3',1790000482536967,1790000482607867,1790000487031708,1790000502544399,NULL,NULL,1790000912903117,1790000913306703,1790000913308579,410.358718,77.4928,0,NULL,1882086331,697.61,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-2"}, {"name": "A100", "uuid": "GPU-nid0022-3"}], "host": "nid0022", "pid": 1073, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0022", "pid": 2730}, {"cpuset": [6, 7], "host": "nid0022", "pid": 2731}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/73.1.out',NULL,NULL,'c458931782090ef1279811d0147d4a2f91c974d95777abf139b99fe4b964b5c7',6688,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,74,1,'coral2-optimized-74.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0023',0,'0,1,2,3','GPU-nid0023-0,GPU-nid0023-1',1790000482537104,1790000482597739,1790000487591847,1790000502529571,NULL,NULL,1790000922830064,1790000923400955,1790000923415783,420.300493,77.7985,0,NULL,1968026142,714.511,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-0"}, {"name": "A100", "uuid": "GPU-nid0023-1"}], "host": "nid0023", "pid": 1074, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0023", "pid": 2740}, {"cpuset": [2, 3], "host": "nid0023", "pid": 2741}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/74.1.out',NULL,NULL,'c68b36498f0b88f118b64063dde3fb052e8bfb132df4587613d4780a9aeef0a9',-6814,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,75,1,'coral2-optimized-75.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0023',1,'4,5,6,7','GPU-nid0023-2,GPU-nid0023-3',1790000482537241,1790000482569822,1790000486636107,1790000502525144,NULL,NULL,1790000907279848,1790000907679469,1790000907693421,404.754704,77.7149,0,NULL,1833779382,688.083,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-2"}, {"name": "A100", "uuid": "GPU-nid0023-3"}], "host": "nid0023", "pid": 1075, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0023", "pid": 2750}, {"cpuset": [6, 7], "host": "nid0023", "pid": 2751}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/75.1.out',NULL,NULL,'c8c31b65d71ea29f79482dbad99b2094d27186a78bdd43b811c5841c39495665',-7580,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,76,1,'coral2-optimized-76.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0024',0,'0,1,2,3','GPU-nid0024-0,GPU-nid0024-1',1790000482537378,1790000482632012,1790000487939351,1790000502568495,NULL,NULL,1790000918905147,1790000919379412,1790000919359602,416.336652,77.4707,0,NULL,1907232317,707.772,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-0"}, {"name": "A100", "uuid": "GPU-nid0024-1"}], "host": "nid0024", "pid": 1076, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0024", "pid": 2760}, {"cpuset": [2, 3], "host": "nid0024", "pid": 2761}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/76.1.out',NULL,NULL,'1d107a412354ff70b5d91073ea5be6583d504844251c49f486631bfcabe741b3',26271,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,77,1,'coral2-optimized-77.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0024',1,'4,5,6,7','GPU-nid0024-2,GPU-nid0024-3',1790000482537515,1790000482612045,1790000488595772,1790000502578238,NULL,NULL,1790000903671342,1790000904241875,1790000904221542,401.093104,77.7595,0,NULL,1574501279,681.858,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-2"}, {"name": "A100", "uuid": "GPU-nid0024-3"}], "host": "nid0024", "pid": 1077, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0024", "pid": 2770}, {"cpuset": [6, 7], "host": "nid0024", "pid": 2771}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/77.1.out',NULL,NULL,'636ae659870449647d7750004aad4da3b80886fd355dcba5a47bc8f90496b998',26983,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,78,1,'coral2-optimized-78.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0025',0,'0,1,2,3','GPU-nid0025-0,GPU-nid0025-1',1790000482537652,1790000482629183,1790000487810781,1790000502570448,NULL,NULL,1790000918499410,1790000919016991,1790000919003492,415.928962,77.477,0,NULL,1187694658,707.079,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0025-0"}, {"name": "A100", "uuid": "GPU-nid0025-1"}], "host": "nid0025", "pid": 1078, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0025", "pid": 2780}, {"cpuset": [2, 3], "host": "nid0025", "pid": 2781}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/78.1.out',NULL,NULL,'2aa1d794c08eed0c1eb2cf49d6eb9f9f3505c824cede2ed55174fa214cefd968',23242,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(1,79,1,'coral2-optimized-79.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0025',1,'4,5,6,7','GPU-nid0025-2,GPU-nid0025-3',1790000482537789,1790000482616776,1790000488302709,1790000502552912,NULL,NULL,1790000914511363,1790000914867202,1790000914849116,411.958451,77.3385,0,NULL,2102481876,700.329,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0025-2"}, {"name": "A100", "uuid": "GPU-nid0025-3"}], "host": "nid0025", "pid": 1079, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0025", "pid": 2790}, {"cpuset": [6, 7], "host": "nid0025", "pid": 2791}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized/logs/79.1.out',NULL,NULL,'8c32ea93d3a8cc5933531c8329884688f58f6d05a99f512b60298665f5d8de44',22878,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,0,1,'coral2-optimized-short-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086460000000,1790086460056354,1790086465373947,1790086479993303,NULL,NULL,1790086658143440,1790086658737462,1790086658758380,178.150137,0.774179,0,NULL,1390714734,302.855,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-optimized-short/logs/0.1.out',NULL,NULL,'15d510f5661b56f00f462cce169a738ed3e7203564b7e1f395793a02a5ead4b1',-13640,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,1,1,'coral2-optimized-short-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086460000137,1790086460038754,1790086465740305,1790086479996950,NULL,NULL,1790086661511036,1790086661830236,1790086661851482,181.514086,0.774202,0,NULL,1136826728,308.574,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"cancer_types": 33, "features": 60483, "synthetic": false, "test_rows": 1000, "train_rows": 3000}','/runs/coral2-optimized-short/logs/1.1.out',NULL,NULL,'6c94297aadd4fafd0b7cefe2120b9a91bbbe05f8541e09b919005623ec940910',-13570,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,2,1,'coral2-optimized-short-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086663851482,1790086663917353,1790086668805219,1790086683856330,NULL,NULL,1790086690822044,1790086691061162,1790086691081689,6.965714,0.596712,0,NULL,1397826432,11.842,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1002, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900}','/runs/coral2-optimized-short/logs/2.1.out',NULL,NULL,'9c17d78a0f59deb1b73f4f63a0fd1edfd43dfaa6deb93a5f9821ad9883327a48',-12438,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,3,1,'coral2-optimized-short-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086663851619,1790086663903651,1790086668806082,1790086683848448,NULL,NULL,1790086690762172,1790086691200397,1790086691218389,6.913724,0.592244,0,NULL,1260773564,11.753,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1003, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{"features": 400, "grade_classes": 4, "grade_test_rows": 68, "grade_train_rows": 1200, "laterality_classes": 2, "laterality_test_rows": 86, "laterality_train_rows": 600, "site_classes": 13, "site_test_rows": 99, "site_train_rows": 3900, "synthetic": false}','/runs/coral2-optimized-short/logs/3.1.out',NULL,NULL,'d036c1319d6743f1e2b62eeae0187d32ab6f0e449c097257f9006a0a4d9e9137',-13149,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,4,1,'coral2-optimized-short-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-other',1790086693218389,1790086693264891,1790086698580975,1790086713220427,1790086715220427,1790086717244212,1790086717344212,1790086717702996,1790086717725569,0.02023785,NULL,0,NULL,1492887130,7.01,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1004, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/4.1.out',NULL,NULL,'64f2b20668b8c5f7cc9fad293272dc69bf2775d556a42e560c85bc350db82052',-13239,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,5,1,'coral2-optimized-short-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086693218526,1790086693278170,1790086698626993,1790086713231656,1790086715231656,1790086717348167,1790086717448167,1790086717945092,1790086717966996,0.02116511,NULL,0,NULL,1923240201,7.168,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1005, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/5.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',-12625,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,6,1,'coral2-optimized-short-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'','GPU-nid0000-0',1790086719966996,1790086720014830,1790086724652822,1790086739959581,1790086741959581,1790086757798356,1790086757898356,1790086758364169,1790086758386538,0.15838775,NULL,0,NULL,1571983890,30.496,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1006, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/6.1.out',NULL,NULL,'40d47e13f782d02a06e3bb7131fe3d9711bf5c9a4c055ad8122cc9911797a428',-13343,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,7,1,'coral2-optimized-short-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086719967133,1790086720035893,1790086724163428,1790086739979791,1790086741979791,1790086758727786,1790086758827786,1790086759357622,1790086759376573,0.0,NULL,0,NULL,1496583702,32.042,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1007, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/7.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',-13760,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,8,1,'coral2-optimized-short-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086761376573,1790086761406153,1790086766019232,1790086781369674,1790086783369674,1790086791568552,1790086791668552,1790086791995063,1790086792015716,0.08198878,NULL,0,NULL,1897413533,17.508,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1008, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/8.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',-14047,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,9,1,'coral2-optimized-short-9.1',1,'failed','benchmark','loss is not a number','made to fail','c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086761376710,1790086761411300,NULL,NULL,NULL,NULL,NULL,1790086792033218,1790086792052095,NULL,NULL,1,NULL,1920719775,17.112,NULL,NULL,NULL,'/runs/coral2-optimized-short/logs/9.1.out',NULL,'Traceback …
','e16dfb89dfef22d94b517e4bc05425c5250ac5998a4039847d050b7a95622e3d',-12709,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,10,1,'coral2-optimized-short-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086794052095,1790086794088969,1790086799300359,1790086814053551,1790086816053551,1790086838970541,1790086839070541,1790086839441989,1790086839462956,0.2291699,NULL,0,NULL,1531898633,42.529,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1010, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/10.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',-13534,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,11,1,'coral2-optimized-short-11.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086794052232,1790086794112441,1790086798136068,1790086814045567,1790086816045567,1790086838841406,1790086838941406,1790086839491788,1790086839513355,0.22795839,NULL,0,NULL,1173869488,42.323,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1011, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/11.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',-13642,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,12,1,'coral2-optimized-short-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790086841513355,1790086841550495,1790086847077560,1790086861505151,1790086863505151,1790086864169271,1790086864269271,1790086864772380,1790086864796127,5.1884375e-05,NULL,0,NULL,2128955494,4.699,'a4fed7611f4e4bc3facb525158af438133374d9afd63691020673a3101fa1f4f','{"cpuset": [0, 1], "framework": "external", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1012, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/12.1.out',NULL,NULL,'975388db7d130b5bf75a670659f0a4f072f12c4bc6276ffe75654d7197d5123d',-12835,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,13,1,'coral2-optimized-short-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790086841513492,1790086841563866,1790086846534181,1790086861502955,1790086863502955,1790086864083640,1790086864183640,1790086864747850,1790086864771243,4.53660156e-05,NULL,0,NULL,1405126367,4.557,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1013, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-short/logs/13.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',-13223,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,14,1,'coral2-optimized-short-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1,2,3','GPU-nid0000-0,GPU-nid0000-1',1790086866796127,1790086866852491,1790086871518688,1790086886805000,NULL,NULL,1790087272553612,1790087272757364,1790087272780762,385.748612,40.3831,0,NULL,1351436335,655.773,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1014, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0000", "pid": 2140}, {"cpuset": [2, 3], "host": "nid0000", "pid": 2141}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/14.1.out',NULL,NULL,'0c4a9e9865f37453c06162c7495a096a37542ce238656a2f3e66169ca77b0222',-13689,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,15,1,'coral2-optimized-short-15.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'4,5,6,7','GPU-nid0000-2,GPU-nid0000-3',1790086866796264,1790086866822804,1790086872686093,1790086886786641,NULL,NULL,1790087287039891,1790087287382033,1790087287403449,400.25325,40.3963,0,NULL,1253194392,680.431,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1015, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0000", "pid": 2150}, {"cpuset": [6, 7], "host": "nid0000", "pid": 2151}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/15.1.out',NULL,NULL,'3363c6a4d55f8159c9071b5cacbb1f31464fc9860e69e194a13d9cbd2fed2d52',-14074,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,16,1,'coral2-optimized-short-16.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1,2,3','GPU-nid0001-0,GPU-nid0001-1',1790086866796401,1790086866889580,1790086871691625,1790086886847669,NULL,NULL,1790087288026131,1790087288336232,1790087288308912,401.178462,40.4767,0,NULL,1213033849,682.003,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1016, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0001", "pid": 2160}, {"cpuset": [2, 3], "host": "nid0001", "pid": 2161}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/16.1.out',NULL,NULL,'5037be62712a40966ba8f1e7fb0f67ff847af2dcd2aabb76ca4530998f98f53c',34149,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,17,1,'coral2-optimized-short-17.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',1,'4,5,6,7','GPU-nid0001-2,GPU-nid0001-3',1790086866796538,1790086866874162,1790086871968887,1790086886832479,NULL,NULL,1790087284564787,1790087284937053,1790087284909035,397.732308,40.5115,0,NULL,1964659707,676.145,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-2"}, {"name": "A100", "uuid": "GPU-nid0001-3"}], "host": "nid0001", "pid": 1017, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0001", "pid": 2170}, {"cpuset": [6, 7], "host": "nid0001", "pid": 2171}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/17.1.out',NULL,NULL,'1460919da5b1723c03880a5ccf5e1fbe99f4dc58086b13a8c595f0e415c1a0c1',35050,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,18,1,'coral2-optimized-short-18.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',0,'0,1,2,3','GPU-nid0002-0,GPU-nid0002-1',1790086866796675,1790086866837275,1790086871623196,1790086886791359,NULL,NULL,1790087282907797,1790087283476096,1790087283506502,396.116438,40.5864,0,NULL,1901705300,673.398,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}, {"name": "A100", "uuid": "GPU-nid0002-1"}], "host": "nid0002", "pid": 1018, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0002", "pid": 2180}, {"cpuset": [2, 3], "host": "nid0002", "pid": 2181}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/18.1.out',NULL,NULL,'d8dc5fae6b747930838a593b352751e9ec23aa0a000e2b5df25a040e0996b0d2',-19796,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,19,1,'coral2-optimized-short-19.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0002',1,'4,5,6,7','GPU-nid0002-2,GPU-nid0002-3',1790086866796812,1790086866821686,1790086872054599,1790086886791598,NULL,NULL,1790087280227795,1790087280754490,1790087280785495,393.436197,40.399,0,NULL,1633375672,668.842,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-2"}, {"name": "A100", "uuid": "GPU-nid0002-3"}], "host": "nid0002", "pid": 1019, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0002", "pid": 2190}, {"cpuset": [6, 7], "host": "nid0002", "pid": 2191}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/19.1.out',NULL,NULL,'5219e7e24d98c10b27f2d147a2c4810356a51e8830ca4fd559990da0f5027b93',-20984,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,20,1,'coral2-optimized-short-20.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0003',0,'0,1,2,3','GPU-nid0003-0,GPU-nid0003-1',1790086866796949,1790086866878895,1790086872466042,1790086886824433,NULL,NULL,1790087275431023,1790087275831164,1790087275810079,388.60659,40.2351,0,NULL,1726032954,660.631,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-0"}, {"name": "A100", "uuid": "GPU-nid0003-1"}], "host": "nid0003", "pid": 1020, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0003", "pid": 2200}, {"cpuset": [2, 3], "host": "nid0003", "pid": 2201}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/20.1.out',NULL,NULL,'5eb90939da7da0ad7e5e3bbbb11f768407f01e18d01d35dd1973d4b6ea9df79e',28019,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,21,1,'coral2-optimized-short-21.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0003',1,'4,5,6,7','GPU-nid0003-2,GPU-nid0003-3',1790086866797086,1790086866894756,1790086872746507,1790086886831160,NULL,NULL,1790087277485338,1790087277930349,1790087277912405,390.654178,40.248,0,NULL,1912069018,664.112,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-2"}, {"name": "A100", "uuid": "GPU-nid0003-3"}], "host": "nid0003", "pid": 1021, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0003", "pid": 2210}, {"cpuset": [6, 7], "host": "nid0003", "pid": 2211}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/21.1.out',NULL,NULL,'e7268bfd67d7bd3fd26b41cd63d403f66f6f6c11cd251c6892f65b1524485693',27908,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,22,1,'coral2-optimized-short-22.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0004',0,'0,1,2,3','GPU-nid0004-0,GPU-nid0004-1',1790086866797223,1790086866891814,1790086872569587,1790086886832610,NULL,NULL,1790087279286995,1790087279565739,1790087279538242,392.454385,40.3361,0,NULL,1660688987,667.172,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-0"}, {"name": "A100", "uuid": "GPU-nid0004-1"}], "host": "nid0004", "pid": 1022, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0004", "pid": 2220}, {"cpuset": [2, 3], "host": "nid0004", "pid": 2221}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/22.1.out',NULL,NULL,'2037aa2f3261db4c2757e670f198cbd58567b91e50411925ad61d4eaa6b8b570',35124,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,23,1,'coral2-optimized-short-23.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0004',1,'4,5,6,7','GPU-nid0004-2,GPU-nid0004-3',1790086866797360,1790086866896465,1790086872229221,1790086886838505,NULL,NULL,1790087291965299,1790087292189930,1790087292164136,405.126794,40.469,0,NULL,1304366543,688.716,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-2"}, {"name": "A100", "uuid": "GPU-nid0004-3"}], "host": "nid0004", "pid": 1023, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0004", "pid": 2230}, {"cpuset": [6, 7], "host": "nid0004", "pid": 2231}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/23.1.out',NULL,NULL,'13f0189d0d470af4539eb0282cd47805375a4698d71682a10576feab5a432959',36032,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,24,1,'coral2-optimized-short-24.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0005',0,'0,1,2,3','GPU-nid0005-0,GPU-nid0005-1',1790086866797497,1790086866889695,1790086871274407,1790086886821416,NULL,NULL,1790087279880891,1790087280283085,1790087280275642,393.059475,40.3618,0,NULL,1611163524,668.201,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-0"}, {"name": "A100", "uuid": "GPU-nid0005-1"}], "host": "nid0005", "pid": 1024, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0005", "pid": 2240}, {"cpuset": [2, 3], "host": "nid0005", "pid": 2241}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/24.1.out',NULL,NULL,'fe64443a60028a24770d6d6159cf5c8443c1da8f00a81596a3c53d2f12bff9e2',12129,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,25,1,'coral2-optimized-short-25.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0005',1,'4,5,6,7','GPU-nid0005-2,GPU-nid0005-3',1790086866797634,1790086866848871,1790086872704686,1790086886817062,NULL,NULL,1790087274009498,1790087274585794,1790087274580521,387.192436,40.5708,0,NULL,1864153785,658.227,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-2"}, {"name": "A100", "uuid": "GPU-nid0005-3"}], "host": "nid0005", "pid": 1025, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0005", "pid": 2250}, {"cpuset": [6, 7], "host": "nid0005", "pid": 2251}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/25.1.out',NULL,NULL,'2e1b09e16af25c6c5bfe1f09006e26d6092865d55c2e07d56c7cca439ba5e665',12116,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,26,1,'coral2-optimized-short-26.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0006',0,'0,1,2,3','GPU-nid0006-0,GPU-nid0006-1',1790086866797771,1790086866840835,1790086871870087,1790086886785518,NULL,NULL,1790087277507990,1790087278077389,1790087278095971,390.722472,40.3891,0,NULL,1115163781,664.228,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-0"}, {"name": "A100", "uuid": "GPU-nid0006-1"}], "host": "nid0006", "pid": 1026, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0006", "pid": 2260}, {"cpuset": [2, 3], "host": "nid0006", "pid": 2261}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/26.1.out',NULL,NULL,'1aaddb7d2ea1c67f0cdbaa1da61c29361d019ecbff0ff9c8c714f55b5ef46c1f',-8665,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,27,1,'coral2-optimized-short-27.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0006',1,'4,5,6,7','GPU-nid0006-2,GPU-nid0006-3',1790086866797908,1790086866830885,1790086872708184,1790086886804562,NULL,NULL,1790087291031314,1790087291610643,1790087291628610,404.226752,40.2247,0,NULL,1259621487,687.185,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-2"}, {"name": "A100", "uuid": "GPU-nid0006-3"}], "host": "nid0006", "pid": 1027, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0006", "pid": 2270}, {"cpuset": [6, 7], "host": "nid0006", "pid": 2271}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/27.1.out',NULL,NULL,'e82b51a437d14bf3f06e7822889aa3bc49f402c3f3057db2e34526ff3c9ed32d',-9773,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,28,1,'coral2-optimized-short-28.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0007',0,'0,1,2,3','GPU-nid0007-0,GPU-nid0007-1',1790086866798045,1790086866840509,1790086871729341,1790086886777823,NULL,NULL,1790087281172641,1790087281503176,1790087281545646,394.394818,40.2832,0,NULL,1527005853,670.471,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-0"}, {"name": "A100", "uuid": "GPU-nid0007-1"}], "host": "nid0007", "pid": 1028, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0007", "pid": 2280}, {"cpuset": [2, 3], "host": "nid0007", "pid": 2281}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/28.1.out',NULL,NULL,'bd30f8f75746fc4c39b08a6c126b04348f99b2bf70df63c89929bc7c4bfd0f0e',-33077,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,29,1,'coral2-optimized-short-29.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0007',1,'4,5,6,7','GPU-nid0007-2,GPU-nid0007-3',1790086866798182,1790086866820736,1790086871238125,1790086886768990,NULL,NULL,1790087290414693,1790087290823648,1790087290863521,403.645703,40.2643,0,NULL,2074331634,686.198,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-2"}, {"name": "A100", "uuid": "GPU-nid0007-3"}], "host": "nid0007", "pid": 1029, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0007", "pid": 2290}, {"cpuset": [6, 7], "host": "nid0007", "pid": 2291}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/29.1.out',NULL,NULL,'e12b2968fe581c7fe6c2daeb7e03dacdd788851d4865c7a96371249fe709c7d2',-31404,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,30,1,'coral2-optimized-short-30.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0008',0,'0,1,2,3','GPU-nid0008-0,GPU-nid0008-1',1790086866798319,1790086866872453,1790086872585897,1790086886819293,NULL,NULL,1790087284951711,1790087285302681,1790087285295705,398.132418,40.4577,0,NULL,1297155233,676.825,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-0"}, {"name": "A100", "uuid": "GPU-nid0008-1"}], "host": "nid0008", "pid": 1030, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0008", "pid": 2300}, {"cpuset": [2, 3], "host": "nid0008", "pid": 2301}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/30.1.out',NULL,NULL,'ec6237399727e749f1b4df710068d07827aa9e29383e7ec8d629ba762cc0edb0',13809,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,31,1,'coral2-optimized-short-31.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0008',1,'4,5,6,7','GPU-nid0008-2,GPU-nid0008-3',1790086866798456,1790086866852356,1790086871731864,1790086886824715,NULL,NULL,1790087289752241,1790087290165529,1790087290162971,402.927526,40.3118,0,NULL,2025174076,684.977,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-2"}, {"name": "A100", "uuid": "GPU-nid0008-3"}], "host": "nid0008", "pid": 1031, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0008", "pid": 2310}, {"cpuset": [6, 7], "host": "nid0008", "pid": 2311}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/31.1.out',NULL,NULL,'f9a5b2de0d352ade9e751b6612b6679a567d70e22f71c21e49739d53621ad11b',11817,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,32,1,'coral2-optimized-short-32.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0009',0,'0,1,2,3','GPU-nid0009-0,GPU-nid0009-1',1790086866798593,1790086866884234,1790086871373317,1790086886839918,NULL,NULL,1790087272869104,1790087273440956,1790087273413480,386.029186,40.2717,0,NULL,1182622530,656.25,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-0"}, {"name": "A100", "uuid": "GPU-nid0009-1"}], "host": "nid0009", "pid": 1032, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0009", "pid": 2320}, {"cpuset": [2, 3], "host": "nid0009", "pid": 2321}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/32.1.out',NULL,NULL,'b2f6b7b0b03cccdeb74f1ec8a01e9743603277340ffd39014a2cca88291eb218',36594,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,33,1,'coral2-optimized-short-33.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0009',1,'4,5,6,7','GPU-nid0009-2,GPU-nid0009-3',1790086866798730,1790086866914727,1790086872609725,1790086886847819,NULL,NULL,1790087292005160,1790087292444282,1790087292412580,405.157341,40.4833,0,NULL,1828867362,688.767,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-2"}, {"name": "A100", "uuid": "GPU-nid0009-3"}], "host": "nid0009", "pid": 1033, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0009", "pid": 2330}, {"cpuset": [6, 7], "host": "nid0009", "pid": 2331}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/33.1.out',NULL,NULL,'119811d53b0271322adfb3b2523b52910c8c0c76104ef9a715a5ffb2fc77869d',36263,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,34,1,'coral2-optimized-short-34.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0010',0,'0,1,2,3','GPU-nid0010-0,GPU-nid0010-1',1790086866798867,1790086866841533,1790086872749002,1790086886780383,NULL,NULL,1790087290454025,1790087291040084,1790087291064970,403.673642,40.2652,0,NULL,2021036286,686.245,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-0"}, {"name": "A100", "uuid": "GPU-nid0010-1"}], "host": "nid0010", "pid": 1034, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0010", "pid": 2340}, {"cpuset": [2, 3], "host": "nid0010", "pid": 2341}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/34.1.out',NULL,NULL,'583d535cff6de57abe65eee012134508c6e3741e260dcdec9f37105c28ed01ce',-15730,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,35,1,'coral2-optimized-short-35.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0010',1,'4,5,6,7','GPU-nid0010-2,GPU-nid0010-3',1790086866799004,1790086866828125,1790086871106271,1790086886800551,NULL,NULL,1790087279008232,1790087279334371,1790087279358843,392.207681,40.4991,0,NULL,2062019339,666.753,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-2"}, {"name": "A100", "uuid": "GPU-nid0010-3"}], "host": "nid0010", "pid": 1035, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0010", "pid": 2350}, {"cpuset": [6, 7], "host": "nid0010", "pid": 2351}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/35.1.out',NULL,NULL,'fbdab05b225cfa1dd5899f18b1a682075a96a64c2388d44139dbf44b78ee4e66',-14805,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,36,1,'coral2-optimized-short-36.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0011',0,'0,1,2,3','GPU-nid0011-0,GPU-nid0011-1',1790086866799141,1790086866902501,1790086872240832,1790086886827061,NULL,NULL,1790087278410402,1790087278912685,1790087278895317,391.583341,40.467,0,NULL,1570639096,665.692,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-0"}, {"name": "A100", "uuid": "GPU-nid0011-1"}], "host": "nid0011", "pid": 1036, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0011", "pid": 2360}, {"cpuset": [2, 3], "host": "nid0011", "pid": 2361}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/36.1.out',NULL,NULL,'c3b15cb873e40bf5955b67206ccbd46f9be6665c8ee6c25fdb4ffed3a60ab201',27884,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,37,1,'coral2-optimized-short-37.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0011',1,'4,5,6,7','GPU-nid0011-2,GPU-nid0011-3',1790086866799278,1790086866868161,1790086871118987,1790086886836625,NULL,NULL,1790087288555711,1790087289062114,1790087289043253,401.719086,40.36,0,NULL,1417823992,682.922,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-2"}, {"name": "A100", "uuid": "GPU-nid0011-3"}], "host": "nid0011", "pid": 1037, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0011", "pid": 2370}, {"cpuset": [6, 7], "host": "nid0011", "pid": 2371}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/37.1.out',NULL,NULL,'e3c52ca675ebdf694fd97f1abdd74b0b9318091216ed2aaf808cc5b8c7d6c1cb',26827,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,38,1,'coral2-optimized-short-38.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0012',0,'0,1,2,3','GPU-nid0012-0,GPU-nid0012-1',1790086866799415,1790086866872488,1790086870895224,1790086886795286,NULL,NULL,1790087289110124,1790087289455413,1790087289467143,402.314838,40.5926,0,NULL,1874482382,683.935,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-0"}, {"name": "A100", "uuid": "GPU-nid0012-1"}], "host": "nid0012", "pid": 1038, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0012", "pid": 2380}, {"cpuset": [2, 3], "host": "nid0012", "pid": 2381}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/38.1.out',NULL,NULL,'a3a0c29d217095a71b502127c8058f0920cfd348601fcda4ba256bb38f97b099',-4438,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,39,1,'coral2-optimized-short-39.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0012',1,'4,5,6,7','GPU-nid0012-2,GPU-nid0012-3',1790086866799552,1790086866871556,1790086871639638,1790086886805841,NULL,NULL,1790087279399861,1790087279841096,1790087279855019,392.59402,40.324,0,NULL,2050692143,667.41,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-2"}, {"name": "A100", "uuid": "GPU-nid0012-3"}], "host": "nid0012", "pid": 1039, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0012", "pid": 2390}, {"cpuset": [6, 7], "host": "nid0012", "pid": 2391}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/39.1.out',NULL,NULL,'4db20039e25c9aa337453ca0ad4456710d55770e9e5f6cee8b7718e475678545',-4437,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,40,1,'coral2-optimized-short-40.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0013',0,'0,1,2,3','GPU-nid0013-0,GPU-nid0013-1',1790086866799689,1790086866882123,1790086872394595,1790086886834280,NULL,NULL,1790087274107332,1790087274356444,1790087274349684,387.273052,40.5511,0,NULL,2074824902,658.364,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-0"}, {"name": "A100", "uuid": "GPU-nid0013-1"}], "host": "nid0013", "pid": 1040, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0013", "pid": 2400}, {"cpuset": [2, 3], "host": "nid0013", "pid": 2401}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/40.1.out',NULL,NULL,'ac36cee7a4483c814a0317684c6e7bfb8cdb910d0f6d7d871485e043fd224ced',11956,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,41,1,'coral2-optimized-short-41.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0013',1,'4,5,6,7','GPU-nid0013-2,GPU-nid0013-3',1790086866799826,1790086866871197,1790086871704893,1790086886825766,NULL,NULL,1790087294700910,1790087294965113,1790087294962231,407.875144,40.4708,0,NULL,1121959975,693.388,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-2"}, {"name": "A100", "uuid": "GPU-nid0013-3"}], "host": "nid0013", "pid": 1041, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0013", "pid": 2410}, {"cpuset": [6, 7], "host": "nid0013", "pid": 2411}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/41.1.out',NULL,NULL,'78fe29524ab23c1b0ae6dc4a3915cd2d232a178cf2501f9ee4e59ae431175a6f',12314,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,42,1,'coral2-optimized-short-42.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0014',0,'0,1,2,3','GPU-nid0014-0,GPU-nid0014-1',1790086866799963,1790086866841404,1790086871814373,1790086886784400,NULL,NULL,1790087292036588,1790087292474147,1790087292514628,405.252188,40.5952,0,NULL,1593909789,688.929,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-0"}, {"name": "A100", "uuid": "GPU-nid0014-1"}], "host": "nid0014", "pid": 1042, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0014", "pid": 2420}, {"cpuset": [2, 3], "host": "nid0014", "pid": 2421}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/42.1.out',NULL,NULL,'07bcd52919e263399b831f2844156a1ed4c3b6ebb3f22fc1c3379774ef8e6086',-31793,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,43,1,'coral2-optimized-short-43.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0014',1,'4,5,6,7','GPU-nid0014-2,GPU-nid0014-3',1790086866800100,1790086866843602,1790086871790227,1790086886772639,NULL,NULL,1790087280469487,1790087280900182,1790087280937787,393.696848,40.5278,0,NULL,1795016794,669.285,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-2"}, {"name": "A100", "uuid": "GPU-nid0014-3"}], "host": "nid0014", "pid": 1043, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0014", "pid": 2430}, {"cpuset": [6, 7], "host": "nid0014", "pid": 2431}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/43.1.out',NULL,NULL,'9e9e57444913dab33bae924cfc1e6d35cac193cc97f2774fd766e9a4d81269ac',-32276,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,44,1,'coral2-optimized-short-44.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0015',0,'0,1,2,3','GPU-nid0015-0,GPU-nid0015-1',1790086866800237,1790086866890166,1790086872689850,1790086886858666,NULL,NULL,1790087291029518,1790087291410655,1790087291377349,404.170852,40.5494,0,NULL,1487457093,687.09,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-0"}, {"name": "A100", "uuid": "GPU-nid0015-1"}], "host": "nid0015", "pid": 1044, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0015", "pid": 2440}, {"cpuset": [2, 3], "host": "nid0015", "pid": 2441}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/44.1.out',NULL,NULL,'28cf64a365baffcfaeca30353dfa3266fb2a8ba236e5ecef2b0d2bc01740e0f1',40708,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,45,1,'coral2-optimized-short-45.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0015',1,'4,5,6,7','GPU-nid0015-2,GPU-nid0015-3',1790086866800374,1790086866911737,1790086872889164,1790086886864823,NULL,NULL,1790087289941619,1790087290518640,1790087290486586,403.076796,40.2329,0,NULL,1812341033,685.231,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-2"}, {"name": "A100", "uuid": "GPU-nid0015-3"}], "host": "nid0015", "pid": 1045, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0015", "pid": 2450}, {"cpuset": [6, 7], "host": "nid0015", "pid": 2451}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/45.1.out',NULL,NULL,'52d553ac088952fdcb287042a2634b6bf0daff53c98b7e33d7813d051fc9a4b3',40193,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,46,1,'coral2-optimized-short-46.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0016',0,'0,1,2,3','GPU-nid0016-0,GPU-nid0016-1',1790086866800511,1790086866896738,1790086872856327,1790086886818349,NULL,NULL,1790087282508537,1790087282844605,1790087282838144,395.690188,40.2963,0,NULL,1577120582,672.673,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-0"}, {"name": "A100", "uuid": "GPU-nid0016-1"}], "host": "nid0016", "pid": 1046, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0016", "pid": 2460}, {"cpuset": [2, 3], "host": "nid0016", "pid": 2461}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/46.1.out',NULL,NULL,'ac2c2ee073d72d47c0c4c38eb2896f564c475ebcd5da3d4fbb52be64b2562ffb',16002,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,47,1,'coral2-optimized-short-47.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0016',1,'4,5,6,7','GPU-nid0016-2,GPU-nid0016-3',1790086866800648,1790086866867137,1790086872070610,1790086886824738,NULL,NULL,1790087290648866,1790087290938035,1790087290932138,403.824128,40.3966,0,NULL,1411845661,686.501,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-2"}, {"name": "A100", "uuid": "GPU-nid0016-3"}], "host": "nid0016", "pid": 1047, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0016", "pid": 2470}, {"cpuset": [6, 7], "host": "nid0016", "pid": 2471}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/47.1.out',NULL,NULL,'9289a32d09f8af00f17dba730496e81d12e081941e5c4b380c421563dae5c1c9',14864,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,48,1,'coral2-optimized-short-48.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0017',0,'0,1,2,3','GPU-nid0017-0,GPU-nid0017-1',1790086866800785,1790086866893367,1790086872440904,1790086886840282,NULL,NULL,1790087278296643,1790087278802897,1790087278785901,391.456361,40.229,0,NULL,1152238309,665.476,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-0"}, {"name": "A100", "uuid": "GPU-nid0017-1"}], "host": "nid0017", "pid": 1048, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0017", "pid": 2480}, {"cpuset": [2, 3], "host": "nid0017", "pid": 2481}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/48.1.out',NULL,NULL,'20b0971e94678328b3903b87bf61ec058ef6c3f0891f1884a5d3a1ada2da41fa',25100,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,49,1,'coral2-optimized-short-49.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0017',1,'4,5,6,7','GPU-nid0017-2,GPU-nid0017-3',1790086866800922,1790086866871570,1790086870898248,1790086886840383,NULL,NULL,1790087278438973,1790087278970135,1790087278948632,391.59859,40.3537,0,NULL,1253630057,665.718,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-2"}, {"name": "A100", "uuid": "GPU-nid0017-3"}], "host": "nid0017", "pid": 1049, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0017", "pid": 2490}, {"cpuset": [6, 7], "host": "nid0017", "pid": 2491}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/49.1.out',NULL,NULL,'14c97c3768343007b0edbe371b06659b65be08487188886c4bc59617e4b6d79e',26446,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,50,1,'coral2-optimized-short-50.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0018',0,'0,1,2,3','GPU-nid0018-0,GPU-nid0018-1',1790086866801059,1790086866919763,1790086872901686,1790086886842014,NULL,NULL,1790087272473142,1790087272709505,1790087272683485,385.631128,40.5603,0,NULL,1730806032,655.573,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-0"}, {"name": "A100", "uuid": "GPU-nid0018-1"}], "host": "nid0018", "pid": 1050, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0018", "pid": 2500}, {"cpuset": [2, 3], "host": "nid0018", "pid": 2501}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/50.1.out',NULL,NULL,'1a942c07dde6deb5d64a658fda813d207da95a8b71b04de0ccdc065037a3383d',34529,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,51,1,'coral2-optimized-short-51.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0018',1,'4,5,6,7','GPU-nid0018-2,GPU-nid0018-3',1790086866801196,1790086866904641,1790086871789455,1790086886851428,NULL,NULL,1790087292701341,1790087292990475,1790087292963380,405.849913,40.3586,0,NULL,1881415443,689.945,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-2"}, {"name": "A100", "uuid": "GPU-nid0018-3"}], "host": "nid0018", "pid": 1051, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0018", "pid": 2510}, {"cpuset": [6, 7], "host": "nid0018", "pid": 2511}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/51.1.out',NULL,NULL,'56b4fabd311aea8e6abfbda633ecbd736d8f83d7cf801aefc2971323305496e1',34593,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,52,1,'coral2-optimized-short-52.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0019',0,'0,1,2,3','GPU-nid0019-0,GPU-nid0019-1',1790086866801333,1790086866905342,1790086872100940,1790086886836152,NULL,NULL,1790087282015393,1790087282280689,1790087282245846,395.179241,40.3274,0,NULL,2076704828,671.805,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-0"}, {"name": "A100", "uuid": "GPU-nid0019-1"}], "host": "nid0019", "pid": 1052, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0019", "pid": 2520}, {"cpuset": [2, 3], "host": "nid0019", "pid": 2521}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/52.1.out',NULL,NULL,'c3aa4bcd30eaa70dd4c512022db155e4ddefe8b29d0e0cefb7e58699df7f1160',41152,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,53,1,'coral2-optimized-short-53.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0019',1,'4,5,6,7','GPU-nid0019-2,GPU-nid0019-3',1790086866801470,1790086866913769,1790086871803149,1790086886864698,NULL,NULL,1790087283345751,1790087283598614,1790087283566287,396.481053,40.2702,0,NULL,1645011193,674.018,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-2"}, {"name": "A100", "uuid": "GPU-nid0019-3"}], "host": "nid0019", "pid": 1053, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0019", "pid": 2530}, {"cpuset": [6, 7], "host": "nid0019", "pid": 2531}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/53.1.out',NULL,NULL,'b65cd2b4704ff1d14b9a68fe9c2c064043c33a829e1fc27656a7d939a6726c49',39485,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,54,1,'coral2-optimized-short-54.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0020',0,'0,1,2,3','GPU-nid0020-0,GPU-nid0020-1',1790086866801607,1790086866841720,1790086871635437,1790086886785021,NULL,NULL,1790087285961428,1790087286498084,1790087286521721,399.176407,40.2598,0,NULL,1405207377,678.6,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-0"}, {"name": "A100", "uuid": "GPU-nid0020-1"}], "host": "nid0020", "pid": 1054, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0020", "pid": 2540}, {"cpuset": [2, 3], "host": "nid0020", "pid": 2541}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/54.1.out',NULL,NULL,'f3c1f55e63b46d77108a2365c77d56853a2ead92d9b6dd6d980e01863ce32fe0',-16528,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,55,1,'coral2-optimized-short-55.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0020',1,'4,5,6,7','GPU-nid0020-2,GPU-nid0020-3',1790086866801744,1790086866852206,1790086871923131,1790086886798635,NULL,NULL,1790087272692980,1790087272958883,1790087272986281,385.894345,40.5617,0,NULL,1269756148,656.02,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-2"}, {"name": "A100", "uuid": "GPU-nid0020-3"}], "host": "nid0020", "pid": 1055, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0020", "pid": 2550}, {"cpuset": [6, 7], "host": "nid0020", "pid": 2551}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/55.1.out',NULL,NULL,'50df328afbe7d055beb692119314111edd1d5e0e9e61dceb15bef63c8db9eaa7',-16990,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,56,1,'coral2-optimized-short-56.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0021',0,'0,1,2,3','GPU-nid0021-0,GPU-nid0021-1',1790086866801881,1790086866897153,1790086871738220,1790086886804608,NULL,NULL,1790087273065630,1790087273630617,1790087273628125,386.261022,40.3675,0,NULL,1949014258,656.644,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-0"}, {"name": "A100", "uuid": "GPU-nid0021-1"}], "host": "nid0021", "pid": 1056, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0021", "pid": 2560}, {"cpuset": [2, 3], "host": "nid0021", "pid": 2561}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/56.1.out',NULL,NULL,'d4fff4c105b538f5faf5c54c2c763896b6706e2943b4aa69858cddf424a0c365',9542,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,57,1,'coral2-optimized-short-57.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0021',1,'4,5,6,7','GPU-nid0021-2,GPU-nid0021-3',1790086866802018,1790086866863049,1790086871725156,1790086886809358,NULL,NULL,1790087291550543,1790087291925744,1790087291925599,404.741185,40.4532,0,NULL,1378434020,688.06,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-2"}, {"name": "A100", "uuid": "GPU-nid0021-3"}], "host": "nid0021", "pid": 1057, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0021", "pid": 2570}, {"cpuset": [6, 7], "host": "nid0021", "pid": 2571}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/57.1.out',NULL,NULL,'0dc47b82ea951d751cf086996d846998a7fea752c76aadd2a74e1cde668c7cb2',8369,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,58,1,'coral2-optimized-short-58.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0022',0,'0,1,2,3','GPU-nid0022-0,GPU-nid0022-1',1790086866802155,1790086866880567,1790086872654738,1790086886838256,NULL,NULL,1790087280669325,1790087281147544,1790087281139126,393.831069,40.3119,0,NULL,1297397164,669.513,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-0"}, {"name": "A100", "uuid": "GPU-nid0022-1"}], "host": "nid0022", "pid": 1058, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0022", "pid": 2580}, {"cpuset": [2, 3], "host": "nid0022", "pid": 2581}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/58.1.out',NULL,NULL,'336709181245267dc1b06c10f98431d13da1f2c6e6074d74fbf5539c658a1ff0',13701,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,59,1,'coral2-optimized-short-59.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0022',1,'4,5,6,7','GPU-nid0022-2,GPU-nid0022-3',1790086866802292,1790086866899122,1790086872084233,1790086886821802,NULL,NULL,1790087284228964,1790087284799011,1790087284789908,397.407162,40.4838,0,NULL,1467041776,675.592,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-2"}, {"name": "A100", "uuid": "GPU-nid0022-3"}], "host": "nid0022", "pid": 1059, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0022", "pid": 2590}, {"cpuset": [6, 7], "host": "nid0022", "pid": 2591}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/59.1.out',NULL,NULL,'c458931782090ef1279811d0147d4a2f91c974d95777abf139b99fe4b964b5c7',13937,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,60,1,'coral2-optimized-short-60.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0023',0,'0,1,2,3','GPU-nid0023-0,GPU-nid0023-1',1790086866802429,1790086866841065,1790086872328526,1790086886787477,NULL,NULL,1790087293427319,1790087293852331,1790087293885605,406.639842,40.5653,0,NULL,1490904198,691.288,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-0"}, {"name": "A100", "uuid": "GPU-nid0023-1"}], "host": "nid0023", "pid": 1060, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0023", "pid": 2600}, {"cpuset": [2, 3], "host": "nid0023", "pid": 2601}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/60.1.out',NULL,NULL,'c68b36498f0b88f118b64063dde3fb052e8bfb132df4587613d4780a9aeef0a9',-26038,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,61,1,'coral2-optimized-short-61.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0023',1,'4,5,6,7','GPU-nid0023-2,GPU-nid0023-3',1790086866802566,1790086866863088,1790086872694478,1790086886774443,NULL,NULL,1790087281417597,1790087281815351,1790087281847699,394.643154,40.537,0,NULL,1877816699,670.893,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-2"}, {"name": "A100", "uuid": "GPU-nid0023-3"}], "host": "nid0023", "pid": 1061, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0023", "pid": 2610}, {"cpuset": [6, 7], "host": "nid0023", "pid": 2611}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/61.1.out',NULL,NULL,'c8c31b65d71ea29f79482dbad99b2094d27186a78bdd43b811c5841c39495665',-25523,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,62,1,'coral2-optimized-short-62.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0024',0,'0,1,2,3','GPU-nid0024-0,GPU-nid0024-1',1790086866802703,1790086866875419,1790086871754165,1790086886828121,NULL,NULL,1790087273142732,1790087273522972,1790087273519495,386.314611,40.4279,0,NULL,1687847540,656.735,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-0"}, {"name": "A100", "uuid": "GPU-nid0024-1"}], "host": "nid0024", "pid": 1062, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0024", "pid": 2620}, {"cpuset": [2, 3], "host": "nid0024", "pid": 2621}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/62.1.out',NULL,NULL,'1d107a412354ff70b5d91073ea5be6583d504844251c49f486631bfcabe741b3',11459,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(2,63,1,'coral2-optimized-short-63.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0024',1,'4,5,6,7','GPU-nid0024-2,GPU-nid0024-3',1790086866802840,1790086866889806,1790086872182799,1790086886814092,NULL,NULL,1790087275832387,1790087276194921,1790087276190291,389.018295,40.3927,0,NULL,1605975426,661.331,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-2"}, {"name": "A100", "uuid": "GPU-nid0024-3"}], "host": "nid0024", "pid": 1063, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0024", "pid": 2630}, {"cpuset": [6, 7], "host": "nid0024", "pid": 2631}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-short/logs/63.1.out',NULL,NULL,'636ae659870449647d7750004aad4da3b80886fd355dcba5a47bc8f90496b998',10613,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,0,1,'coral2-optimized-twice-0.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790172860000000,1790172860053238,1790172864369208,1790172880001930,1790172882001930,1790172903696520,1790172903796520,1790172904223787,1790172904232584,0.2169459,NULL,0,NULL,1438143098,40.451,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1000, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/0.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',-758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,1,1,'coral2-optimized-twice-1.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790172860000137,1790172860084308,1790172865952986,1790172880009518,1790172882009518,1790172903845782,1790172903945782,1790172904344626,1790172904352565,0.21836264,NULL,0,NULL,1930459142,40.692,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1001, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/1.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',-280,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,2,1,'coral2-optimized-twice-2.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790172860000274,1790172860046517,1790172865957479,1790172880027430,1790172882027430,1790172904223386,1790172904323386,1790172904766584,1790172904771831,0.22195956,NULL,0,NULL,1216701922,41.303,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1002, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/2.1.out',NULL,NULL,'d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e',843,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,3,1,'coral2-optimized-twice-3.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790172906771831,1790172906841320,1790172912060332,1790172926775486,1790172928775486,1790172929287873,1790172929387873,1790172929770402,1790172929778845,4.00302344e-05,NULL,0,NULL,2105139321,4.441,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1003, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/3.1.out',NULL,NULL,'1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449',758,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,4,1,'coral2-optimized-twice-4.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790172906771968,1790172906813653,1790172912661665,1790172926798556,1790172928798556,1790172929276890,1790172929376890,1790172929759115,1790172929768567,3.73698437e-05,NULL,0,NULL,2068388351,4.383,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1004, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/4.1.out',NULL,NULL,'3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430',282,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,5,1,'coral2-optimized-twice-5.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790172906772105,1790172906816700,1790172911755829,1790172926781339,1790172928781339,1790172929311679,1790172929411679,1790172929982674,1790172929989131,4.14328125e-05,NULL,0,NULL,1496550622,4.472,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1005, "precision": "mixed_bfloat16", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/5.1.out',NULL,NULL,'d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e',313,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,6,1,'coral2-optimized-twice-6.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1,2,3','GPU-nid0000-0,GPU-nid0000-1',1790172931989131,1790172932049174,1790172937331759,1790172952007066,NULL,NULL,1790173334419152,1790173334863201,1790173334870309,382.412086,70.3764,0,NULL,1975998165,650.101,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1006, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0000", "pid": 2060}, {"cpuset": [2, 3], "host": "nid0000", "pid": 2061}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-twice/logs/6.1.out',NULL,NULL,'0c4a9e9865f37453c06162c7495a096a37542ce238656a2f3e66169ca77b0222',-208,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,7,1,'coral2-optimized-twice-7.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'4,5,6,7','GPU-nid0000-2,GPU-nid0000-3',1790172931989268,1790172932039552,1790172937521582,1790172952003609,NULL,NULL,1790173334911349,1790173335434650,1790173335445112,382.90774,70.7206,0,NULL,1483762708,650.943,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "host": "nid0000", "pid": 1007, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [4, 5], "host": "nid0000", "pid": 2070}, {"cpuset": [6, 7], "host": "nid0000", "pid": 2071}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-twice/logs/7.1.out',NULL,NULL,'3363c6a4d55f8159c9071b5cacbb1f31464fc9860e69e194a13d9cbd2fed2d52',-852,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,8,1,'coral2-optimized-twice-8.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0001',0,'0,1,2,3','GPU-nid0001-0,GPU-nid0001-1',1790172931989405,1790172932041345,1790172936108003,1790172951998821,NULL,NULL,1790173340798010,1790173341161112,1790173341172498,388.799189,70.5426,0,NULL,1711150396,660.959,'80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "host": "nid0001", "pid": 1008, "precision": "mixed_bfloat16", "process_threads": 12, "ranks": [{"cpuset": [0, 1], "host": "nid0001", "pid": 2080}, {"cpuset": [2, 3], "host": "nid0001", "pid": 2081}], "tensor_float32": false}','{"classes": 1000, "layout": "folders", "synthetic": false, "train_images": 1281167, "validation_images": 50000}','/runs/coral2-optimized-twice/logs/8.1.out',NULL,NULL,'5037be62712a40966ba8f1e7fb0f67ff847af2dcd2aabb76ca4530998f98f53c',-5150,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,9,1,'coral2-optimized-twice-9.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790173343172498,1790173343238807,1790173348422992,1790173363191421,1790173365191421,1790173386758727,1790173386858727,1790173387419336,1790173387428123,0.21567306,NULL,0,NULL,1929850606,40.234,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1009, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/9.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',448,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,10,1,'coral2-optimized-twice-10.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790173343172635,1790173343222551,1790173347340941,1790173363184780,1790173365184780,1790173387347238,1790173387447238,1790173387709045,1790173387718905,0.22162458,NULL,0,NULL,1144469234,41.246,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1010, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/10.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',111,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,11,1,'coral2-optimized-twice-11.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790173343172772,1790173343216423,1790173348655824,1790173363186138,1790173365186138,1790173386921910,1790173387021910,1790173387354114,1790173387364012,0.21735772,NULL,0,NULL,1734715944,40.521,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1011, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/11.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',-544,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,12,1,'coral2-optimized-twice-12.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',0,'0,1','GPU-nid0000-0',1790173389718905,1790173389772205,1790173394246384,1790173409741369,NULL,NULL,1790173410585864,1790173410812319,1790173410818958,0.844495,NULL,0,NULL,1495482922,1.436,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "host": "nid0000", "pid": 1012, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/12.1.out',NULL,NULL,'ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20',701,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,13,1,'coral2-optimized-twice-13.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',1,'2,3','GPU-nid0000-1',1790173389719042,1790173389772985,1790173394445311,1790173409721312,NULL,NULL,1790173410596565,1790173411093164,1790173411099619,0.875253,NULL,0,NULL,1532192420,1.488,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "host": "nid0000", "pid": 1013, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/13.1.out',NULL,NULL,'72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292',-567,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "attempts" VALUES(3,14,1,'coral2-optimized-twice-14.1',1,'succeeded',NULL,NULL,NULL,'c1','0','nid0000',2,'4,5','GPU-nid0000-2',1790173389719179,1790173389768764,1790173394466241,1790173409740839,NULL,NULL,1790173410598436,1790173410963740,1790173410968831,0.857597,NULL,0,NULL,1741448965,1.458,'d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "host": "nid0000", "pid": 1014, "precision": "float32", "process_threads": 12, "tensor_float32": false}','{}','/runs/coral2-optimized-twice/logs/14.1.out',NULL,NULL,'c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba',123,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "benchmarks" VALUES(1,'alexnet','alexnet',4,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 227, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'googlenet','googlenet',4,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'lstm','lstm',4,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "mixed_bfloat16", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'overfeat','overfeat',4,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 231, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(1,'p1b1','p1b1',4,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "cache", "max_epochs": 0, "outer_width": 2000, "precision": "mixed_bfloat16", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(1,'p3b1','p3b1',4,'{"batch_size": 10, "epochs": 10, "first_width": 1200, "framework": "tensorflow", "learning_rate": 0.01, "loader": "cache", "max_epochs": 0, "precision": "mixed_bfloat16", "second_width": 1200, "shared_width": 1200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(1,'resnet50','resnet50',52,'{"batch_size": 32, "classes": 1000, "depth_divisor": 1, "epochs": 90, "first_drop": 30, "image_size": 224, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "mixed_bfloat16", "resume": false, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 5, "weight_decay": 5e-05, "width_divisor": 1}','{"nodes": 1, "ranks": 2, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 2, "share_of_system": 0.0002787068004459309}',43200.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(1,'vgg','vgg',4,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'alexnet','alexnet',2,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 227, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'googlenet','googlenet',2,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'lstm','lstm',2,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "mixed_bfloat16", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'overfeat','overfeat',2,'{"batch_size": 128, "burn_in": 10, "framework": "tensorflow", "image_size": 231, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(2,'p1b1','p1b1',2,'{"batch_size": 100, "epochs": 100, "epsilon": 1e-08, "framework": "tensorflow", "inner_width": 600, "latent_width": 2, "learning_rate": 0.001, "loader": "cache", "max_epochs": 0, "outer_width": 2000, "precision": "mixed_bfloat16", "time_limit": 3600.0, "weights_seed": 2017}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',14400.0,'pearson_correlation',0.7808);
INSERT INTO "benchmarks" VALUES(2,'p3b1','p3b1',2,'{"batch_size": 10, "epochs": 10, "first_width": 1200, "framework": "tensorflow", "learning_rate": 0.01, "loader": "cache", "max_epochs": 0, "precision": "mixed_bfloat16", "second_width": 1200, "shared_width": 1200, "time_limit": 1800.0}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,'geometric_mean_f1',0.5637);
INSERT INTO "benchmarks" VALUES(2,'resnet50','resnet50',50,'{"batch_size": 32, "classes": 1000, "depth_divisor": 1, "epochs": 90, "first_drop": 30, "image_size": 224, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "mixed_bfloat16", "resume": false, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 5, "weight_decay": 5e-05, "width_divisor": 1}','{"nodes": 1, "ranks": 2, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 2, "share_of_system": 0.0002787068004459309}',43200.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(2,'vgg','vgg',2,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(3,'behave','tests.toys.behave',3,'{"behaviour": "succeed", "folder": "", "megabytes": 0, "seconds": 0.05}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,'score',0.0);
INSERT INTO "benchmarks" VALUES(3,'lstm','lstm',3,'{"batch_size": 128, "framework": "tensorflow", "hidden_width": 1024, "learning_rate": 0.01, "precision": "mixed_bfloat16", "sequence_length": 30, "steps": 100}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(3,'resnet50','resnet50',3,'{"batch_size": 32, "classes": 1000, "depth_divisor": 1, "epochs": 90, "first_drop": 30, "image_size": 224, "learning_rate": 0.0125, "max_epochs": 0, "momentum": 0.9, "precision": "mixed_bfloat16", "resume": false, "second_drop": 60, "target_accuracy": 74.9, "third_drop": 80, "warmup_epochs": 5, "weight_decay": 5e-05, "width_divisor": 1}','{"nodes": 1, "ranks": 2, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 2, "share_of_system": 0.0002787068004459309}',43200.0,'top_1_percent',74.9);
INSERT INTO "benchmarks" VALUES(3,'vgg','vgg',3,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "mixed_bfloat16", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
INSERT INTO "benchmarks" VALUES(3,'vgg-again','vgg',3,'{"batch_size": 64, "burn_in": 10, "framework": "tensorflow", "image_size": 224, "precision": "float32", "steps": 100, "width_divisor": 1}','{"nodes": 1, "ranks": 1, "cores": 2, "gpus": 1.0, "memory_bytes": 17179869184, "slots": 4, "share_of_system": 0.00013935340022296544}',3600.0,NULL,NULL);
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
INSERT INTO "blocks" VALUES(1,1,'c1','0','987651','released',1790000059000000,1790000060000000,1790007260000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(2,1,'c1','0','987651','released',1790086459000000,1790086460000000,1790093660000000,25,NULL,NULL);
INSERT INTO "blocks" VALUES(3,1,'c1','0','987651','released',1790172859000000,1790172860000000,1790180060000000,25,NULL,NULL);
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
INSERT INTO "campaigns" VALUES(1,'coral2-optimized','91d2a3f966ed89c4325a63ba60e048f1','campaign: coral2-optimized
description: All eight benchmarks at real size, reduced precision and cached data
rulebook: coral2
class: optimized
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 4
  parameters:
    precision: mixed_bfloat16
    loader: cache
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: p3b1
  instances: 4
  parameters:
    precision: mixed_bfloat16
    loader: cache
  data: p3b1
  timeout: 1 h
  expected_runtime: 1 min
- workload: alexnet
  instances: 4
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 1 min
- workload: googlenet
  instances: 4
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 3 min
- workload: overfeat
  instances: 4
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 2 min
- workload: vgg
  instances: 4
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 4
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 1 min
- workload: resnet50
  instances: 52
  parameters:
    precision: mixed_bfloat16
    resume: false
  data: imagenet
  timeout: 12 h
  expected_runtime: 25 min
','5a560ff517a763d5b48b5e17856c04f80fcb6e1b3f2db035ac0a3e4213152c7e','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','optimized','/runs/coral2-optimized','/data',1789999999000000,'complete',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(2,'coral2-optimized-short','ae1e40609606406da67a0ffdefe8f770','campaign: coral2-optimized-short
description: All eight benchmarks at real size, reduced precision and cached data
rulebook: coral2
class: optimized
seed: 2017
start: synchronized
benchmarks:
- workload: p1b1
  instances: 2
  parameters:
    precision: mixed_bfloat16
    loader: cache
  data: p1b1
  timeout: 4 h
  expected_runtime: 32 min
- workload: p3b1
  instances: 2
  parameters:
    precision: mixed_bfloat16
    loader: cache
  data: p3b1
  timeout: 1 h
  expected_runtime: 1 min
- workload: alexnet
  instances: 2
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 1 min
- workload: googlenet
  instances: 2
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 3 min
- workload: overfeat
  instances: 2
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 2 min
- workload: vgg
  instances: 2
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 2
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 1 min
- workload: resnet50
  instances: 50
  parameters:
    precision: mixed_bfloat16
    resume: false
  data: imagenet
  timeout: 12 h
  expected_runtime: 25 min
','4253507ecd5eb07c5a3826a24b021d6020d7a145dd3f66c2cd656357ca710545','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','optimized','/runs/coral2-optimized-short','/data',1790086399000000,'drained',NULL,NULL,NULL);
INSERT INTO "campaigns" VALUES(3,'coral2-optimized-twice','52e8ffea33c52b6a88e8bede37e4cc1c','campaign: coral2-optimized-twice
description: All eight benchmarks at real size, reduced precision and cached data
rulebook: coral2
class: optimized
seed: 2017
start: synchronized
benchmarks:
- workload: vgg
  instances: 3
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 4 min
- workload: lstm
  instances: 3
  parameters:
    precision: mixed_bfloat16
  timeout: 1 h
  expected_runtime: 1 min
- workload: resnet50
  instances: 3
  parameters:
    precision: mixed_bfloat16
    resume: false
  data: imagenet
  timeout: 12 h
  expected_runtime: 25 min
- workload: vgg
  name: vgg-again
  instances: 3
  timeout: 1 h
- workload: tests.toys.behave
  instances: 3
  timeout: 1 h
','c0626ee32ae46f2a8a001eead21b9a66993f1b402d727ebfa6e5f8961fd3d425','made','site: made
description: Nodes of four GPUs for recorded ledgers
scheduler: {type: slurm, walltime: 6 h, nodes_per_block: 32, max_blocks: 1}
nodes: 1794
node:
  cores: 0-7
  memory: 64 GiB
  gpus: {count: 4, vendor: nvidia, kind: A100, memory: 40 GB, gpu_cores: [''0-1'', ''2-3'', ''4-5'', ''6-7'']}
slot: {cores: 2, gpus: 1, memory: 16 GiB}
slots:
  resnet50: {ranks: 2, cores: 2, gpus: 1, memory: 16 GiB}
interface: hsn0
paths: {runs: /runs, data: /data}
','1de4cd53777480484b392a6586c59e268f0e9e7679ba49ecd495cabbfca147cf','coral2','optimized','/runs/coral2-optimized-twice','/data',1790172799000000,'complete',NULL,NULL,NULL);
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
CREATE TABLE documents (
	sha256 TEXT NOT NULL, 
	content TEXT NOT NULL, 
	CONSTRAINT pk_documents PRIMARY KEY (sha256)
)
 WITHOUT ROWID

;
INSERT INTO "documents" VALUES('07bcd52919e263399b831f2844156a1ed4c3b6ebb3f22fc1c3379774ef8e6086','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0014-0,GPU-nid0014-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-0"}, {"name": "A100", "uuid": "GPU-nid0014-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0c4a9e9865f37453c06162c7495a096a37542ce238656a2f3e66169ca77b0222','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0000-0,GPU-nid0000-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}, {"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0dc47b82ea951d751cf086996d846998a7fea752c76aadd2a74e1cde668c7cb2','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0021-2,GPU-nid0021-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-2"}, {"name": "A100", "uuid": "GPU-nid0021-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('0edc5680ce1d1edb0dd4cc438f56a16bd03641968d370ed80044ab1506561e36','{"cores": "4,5", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('119811d53b0271322adfb3b2523b52910c8c0c76104ef9a715a5ffb2fc77869d','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0009-2,GPU-nid0009-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-2"}, {"name": "A100", "uuid": "GPU-nid0009-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1348cf76d55a965037f5a050f07ab38be411d1a6808d07cf5c25ac45fb4204d7','{"cores": "2,3", "data": "{}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('13f0189d0d470af4539eb0282cd47805375a4698d71682a10576feab5a432959','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0004-2,GPU-nid0004-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-2"}, {"name": "A100", "uuid": "GPU-nid0004-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1460919da5b1723c03880a5ccf5e1fbe99f4dc58086b13a8c595f0e415c1a0c1','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0001-2,GPU-nid0001-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-2"}, {"name": "A100", "uuid": "GPU-nid0001-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('14c97c3768343007b0edbe371b06659b65be08487188886c4bc59617e4b6d79e','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0017-2,GPU-nid0017-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-2"}, {"name": "A100", "uuid": "GPU-nid0017-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('15d510f5661b56f00f462cce169a738ed3e7203564b7e1f395793a02a5ead4b1','{"cores": "0,1", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1a942c07dde6deb5d64a658fda813d207da95a8b71b04de0ccdc065037a3383d','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0018-0,GPU-nid0018-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-0"}, {"name": "A100", "uuid": "GPU-nid0018-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1aaddb7d2ea1c67f0cdbaa1da61c29361d019ecbff0ff9c8c714f55b5ef46c1f','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0006-0,GPU-nid0006-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-0"}, {"name": "A100", "uuid": "GPU-nid0006-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1d107a412354ff70b5d91073ea5be6583d504844251c49f486631bfcabe741b3','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0024-0,GPU-nid0024-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-0"}, {"name": "A100", "uuid": "GPU-nid0024-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('1f1bb4c3a83979a223ece06da3694643943b2d9d1c02a8980ae321e3e80b6449','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('2037aa2f3261db4c2757e670f198cbd58567b91e50411925ad61d4eaa6b8b570','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0004-0,GPU-nid0004-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0004-0"}, {"name": "A100", "uuid": "GPU-nid0004-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('20b0971e94678328b3903b87bf61ec058ef6c3f0891f1884a5d3a1ada2da41fa','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0017-0,GPU-nid0017-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0017-0"}, {"name": "A100", "uuid": "GPU-nid0017-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('251a505ac5d00b51a50eaa816f76af34a3ac807c8c5352feefe65c2e82f52ecd','{"cores": "0,1", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('28cf64a365baffcfaeca30353dfa3266fb2a8ba236e5ecef2b0d2bc01740e0f1','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0015-0,GPU-nid0015-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-0"}, {"name": "A100", "uuid": "GPU-nid0015-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('2aa1d794c08eed0c1eb2cf49d6eb9f9f3505c824cede2ed55174fa214cefd968','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0025-0,GPU-nid0025-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0025-0"}, {"name": "A100", "uuid": "GPU-nid0025-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('2e1b09e16af25c6c5bfe1f09006e26d6092865d55c2e07d56c7cca439ba5e665','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0005-2,GPU-nid0005-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-2"}, {"name": "A100", "uuid": "GPU-nid0005-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('2ebc15987ef00e05843e47fcffe0511e58ad36314a86c53da9bfef0408c1b4f3','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('3363c6a4d55f8159c9071b5cacbb1f31464fc9860e69e194a13d9cbd2fed2d52','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0000-2,GPU-nid0000-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}, {"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('336709181245267dc1b06c10f98431d13da1f2c6e6074d74fbf5539c658a1ff0','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0022-0,GPU-nid0022-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-0"}, {"name": "A100", "uuid": "GPU-nid0022-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('3ed914ae99eb2858685cbb6dae447ecedcabf4d8edbdd8b3eaf03cbac84c6430','{"cores": "2,3", "data": "{}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('40d47e13f782d02a06e3bb7131fe3d9711bf5c9a4c055ad8122cc9911797a428','{"cores": "", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('4db20039e25c9aa337453ca0ad4456710d55770e9e5f6cee8b7718e475678545','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0012-2,GPU-nid0012-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-2"}, {"name": "A100", "uuid": "GPU-nid0012-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('4f38acd9eeea6d6ab145e99173476c887500b0a20d8b383c1f69d675b602e0b9','{"framework": "jax", "framework_version": "0.4.30", "platform": "Linux", "precision": "mixed_bfloat16", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('5037be62712a40966ba8f1e7fb0f67ff847af2dcd2aabb76ca4530998f98f53c','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0001-0,GPU-nid0001-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0001-0"}, {"name": "A100", "uuid": "GPU-nid0001-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('50df328afbe7d055beb692119314111edd1d5e0e9e61dceb15bef63c8db9eaa7','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0020-2,GPU-nid0020-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-2"}, {"name": "A100", "uuid": "GPU-nid0020-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('5219e7e24d98c10b27f2d147a2c4810356a51e8830ca4fd559990da0f5027b93','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0002-2,GPU-nid0002-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-2"}, {"name": "A100", "uuid": "GPU-nid0002-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('52d553ac088952fdcb287042a2634b6bf0daff53c98b7e33d7813d051fc9a4b3','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0015-2,GPU-nid0015-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0015-2"}, {"name": "A100", "uuid": "GPU-nid0015-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('56b4fabd311aea8e6abfbda633ecbd736d8f83d7cf801aefc2971323305496e1','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0018-2,GPU-nid0018-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0018-2"}, {"name": "A100", "uuid": "GPU-nid0018-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('583d535cff6de57abe65eee012134508c6e3741e260dcdec9f37105c28ed01ce','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0010-0,GPU-nid0010-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-0"}, {"name": "A100", "uuid": "GPU-nid0010-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('5eb90939da7da0ad7e5e3bbbb11f768407f01e18d01d35dd1973d4b6ea9df79e','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0003-0,GPU-nid0003-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-0"}, {"name": "A100", "uuid": "GPU-nid0003-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('636ae659870449647d7750004aad4da3b80886fd355dcba5a47bc8f90496b998','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0024-2,GPU-nid0024-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0024-2"}, {"name": "A100", "uuid": "GPU-nid0024-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('64f2b20668b8c5f7cc9fad293272dc69bf2775d556a42e560c85bc350db82052','{"cores": "0,1", "data": "{}", "devices": "GPU-other", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('68f04a152ea511247b8d7bf5a5a0756d51a2996107f94e3f9d58249192815006','{"cores": "4,5", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('6c94297aadd4fafd0b7cefe2120b9a91bbbe05f8541e09b919005623ec940910','{"cores": "2,3", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('72317a543260e268baa860124cfb0fe0577cc4e4d90756621b3b06a3f2e51292','{"cores": "2,3", "data": "{}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('743a87121e3c0348e5e52e6d12dec9bae192fadef752106a1d81a1b313bd4ca3','{"cores": "6,7", "data": "{}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('78fe29524ab23c1b0ae6dc4a3915cd2d232a178cf2501f9ee4e59ae431175a6f','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0013-2,GPU-nid0013-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-2"}, {"name": "A100", "uuid": "GPU-nid0013-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('80c476f9a7489039d9b81c0df09d048c2c119898140ee26ff03c07a44a40912b','{"framework": "tensorflow", "framework_version": "2.18.1", "platform": "Linux", "precision": "mixed_bfloat16", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('8c32ea93d3a8cc5933531c8329884688f58f6d05a99f512b60298665f5d8de44','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0025-2,GPU-nid0025-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0025-2"}, {"name": "A100", "uuid": "GPU-nid0025-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('9282c8669becd943debae88954f67548b406c031273cb4682f82909377cb688c','{"cores": "6,7", "data": "{\"cancer_types\": 33, \"features\": 60483, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('9289a32d09f8af00f17dba730496e81d12e081941e5c4b380c421563dae5c1c9','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0016-2,GPU-nid0016-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-2"}, {"name": "A100", "uuid": "GPU-nid0016-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('975388db7d130b5bf75a670659f0a4f072f12c4bc6276ffe75654d7197d5123d','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "external", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('9c17d78a0f59deb1b73f4f63a0fd1edfd43dfaa6deb93a5f9821ad9883327a48','{"cores": "0,1", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('9e9e57444913dab33bae924cfc1e6d35cac193cc97f2774fd766e9a4d81269ac','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0014-2,GPU-nid0014-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0014-2"}, {"name": "A100", "uuid": "GPU-nid0014-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a3a0c29d217095a71b502127c8058f0920cfd348601fcda4ba256bb38f97b099','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0012-0,GPU-nid0012-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0012-0"}, {"name": "A100", "uuid": "GPU-nid0012-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('a4fed7611f4e4bc3facb525158af438133374d9afd63691020673a3101fa1f4f','{"framework": "external", "framework_version": "2.18.1", "platform": "Linux", "precision": "mixed_bfloat16", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('a9d4f7759ab1761720e7e1a42592211603feb1f94bc4880edd1fbeb4ff27f410','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('aadc9759ae1fa131422d5939db180a56a1cadc5b78776e8ee040aa2373e4dbe9','{"cores": "6,7", "data": "{}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "jax", "framework_version": "0.4.30", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('ac2c2ee073d72d47c0c4c38eb2896f564c475ebcd5da3d4fbb52be64b2562ffb','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0016-0,GPU-nid0016-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0016-0"}, {"name": "A100", "uuid": "GPU-nid0016-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('ac36cee7a4483c814a0317684c6e7bfb8cdb910d0f6d7d871485e043fd224ced','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0013-0,GPU-nid0013-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0013-0"}, {"name": "A100", "uuid": "GPU-nid0013-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('b2f6b7b0b03cccdeb74f1ec8a01e9743603277340ffd39014a2cca88291eb218','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0009-0,GPU-nid0009-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0009-0"}, {"name": "A100", "uuid": "GPU-nid0009-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('b65cd2b4704ff1d14b9a68fe9c2c064043c33a829e1fc27656a7d939a6726c49','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0019-2,GPU-nid0019-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-2"}, {"name": "A100", "uuid": "GPU-nid0019-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('ba22567cefaae8fcc58865bdd164a731280e849c1c59a8f936a9f7527f824a20','{"cores": "0,1", "data": "{}", "devices": "GPU-nid0000-0", "seen": {"cpuset": [0, 1], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-0"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('bd30f8f75746fc4c39b08a6c126b04348f99b2bf70df63c89929bc7c4bfd0f0e','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0007-0,GPU-nid0007-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-0"}, {"name": "A100", "uuid": "GPU-nid0007-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c18973aac33c989dc7b5fa10ade896fe4c4e95eab36421c8c4c10ccc59ebaaba','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "float32", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c3aa4bcd30eaa70dd4c512022db155e4ddefe8b29d0e0cefb7e58699df7f1160','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0019-0,GPU-nid0019-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0019-0"}, {"name": "A100", "uuid": "GPU-nid0019-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c3b15cb873e40bf5955b67206ccbd46f9be6665c8ee6c25fdb4ffed3a60ab201','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0011-0,GPU-nid0011-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-0"}, {"name": "A100", "uuid": "GPU-nid0011-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c458931782090ef1279811d0147d4a2f91c974d95777abf139b99fe4b964b5c7','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0022-2,GPU-nid0022-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0022-2"}, {"name": "A100", "uuid": "GPU-nid0022-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c68b36498f0b88f118b64063dde3fb052e8bfb132df4587613d4780a9aeef0a9','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0023-0,GPU-nid0023-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-0"}, {"name": "A100", "uuid": "GPU-nid0023-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('c8c31b65d71ea29f79482dbad99b2094d27186a78bdd43b811c5841c39495665','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0023-2,GPU-nid0023-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0023-2"}, {"name": "A100", "uuid": "GPU-nid0023-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('d036c1319d6743f1e2b62eeae0187d32ab6f0e449c097257f9006a0a4d9e9137','{"cores": "2,3", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('d25614064ce6811a6d3d5911403516b32c970a4630247eb925f59354c432521e','{"cores": "4,5", "data": "{}", "devices": "GPU-nid0000-2", "seen": {"cpuset": [4, 5], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-2"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('d3a6eb5aae95387af98c0542aeb6c2c98dff5e29ac9d03a427cc0924f3c966b4','{"framework": "tensorflow", "framework_version": "2.18.1", "platform": "Linux", "precision": "float32", "python": "3.11.9", "tensor_float32": false}');
INSERT INTO "documents" VALUES('d4fff4c105b538f5faf5c54c2c763896b6706e2943b4aa69858cddf424a0c365','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0021-0,GPU-nid0021-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0021-0"}, {"name": "A100", "uuid": "GPU-nid0021-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('d8dc5fae6b747930838a593b352751e9ec23aa0a000e2b5df25a040e0996b0d2','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0002-0,GPU-nid0002-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0002-0"}, {"name": "A100", "uuid": "GPU-nid0002-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('df63387e39f2e5c240020d1d5b1f3d6c4191db6e812e4f4bf0bff1f27af17610','{"cores": "6,7", "data": "{\"features\": 400, \"grade_classes\": 4, \"grade_test_rows\": 68, \"grade_train_rows\": 1200, \"laterality_classes\": 2, \"laterality_test_rows\": 86, \"laterality_train_rows\": 600, \"site_classes\": 13, \"site_test_rows\": 99, \"site_train_rows\": 3900, \"synthetic\": false}", "devices": "GPU-nid0000-3", "seen": {"cpuset": [6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-3"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e12b2968fe581c7fe6c2daeb7e03dacdd788851d4865c7a96371249fe709c7d2','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0007-2,GPU-nid0007-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0007-2"}, {"name": "A100", "uuid": "GPU-nid0007-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e16dfb89dfef22d94b517e4bc05425c5250ac5998a4039847d050b7a95622e3d','{"cores": "2,3", "data": null, "devices": "GPU-nid0000-1", "seen": null}');
INSERT INTO "documents" VALUES('e3c52ca675ebdf694fd97f1abdd74b0b9318091216ed2aaf808cc5b8c7d6c1cb','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0011-2,GPU-nid0011-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0011-2"}, {"name": "A100", "uuid": "GPU-nid0011-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e7268bfd67d7bd3fd26b41cd63d403f66f6f6c11cd251c6892f65b1524485693','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0003-2,GPU-nid0003-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0003-2"}, {"name": "A100", "uuid": "GPU-nid0003-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('e82b51a437d14bf3f06e7822889aa3bc49f402c3f3057db2e34526ff3c9ed32d','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0006-2,GPU-nid0006-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0006-2"}, {"name": "A100", "uuid": "GPU-nid0006-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('eb2e48153e07d80560ec9906d2ee7dcab7fdd4de80fd69f967691f4892459519','{"cores": "2,3", "data": "{\"cancer_types\": 33, \"features\": 60484, \"synthetic\": false, \"test_rows\": 1000, \"train_rows\": 3000}", "devices": "GPU-nid0000-1", "seen": {"cpuset": [2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0000-1"}], "precision": "mixed_bfloat16", "tensor_float32": false}}');
INSERT INTO "documents" VALUES('ec6237399727e749f1b4df710068d07827aa9e29383e7ec8d629ba762cc0edb0','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0008-0,GPU-nid0008-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-0"}, {"name": "A100", "uuid": "GPU-nid0008-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('f3c1f55e63b46d77108a2365c77d56853a2ead92d9b6dd6d980e01863ce32fe0','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0020-0,GPU-nid0020-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0020-0"}, {"name": "A100", "uuid": "GPU-nid0020-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('f9a5b2de0d352ade9e751b6612b6679a567d70e22f71c21e49739d53621ad11b','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0008-2,GPU-nid0008-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0008-2"}, {"name": "A100", "uuid": "GPU-nid0008-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('fbdab05b225cfa1dd5899f18b1a682075a96a64c2388d44139dbf44b78ee4e66','{"cores": "4,5,6,7", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0010-2,GPU-nid0010-3", "seen": {"cpuset": [4, 5, 6, 7], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0010-2"}, {"name": "A100", "uuid": "GPU-nid0010-3"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [4, 5]}, {"cpuset": [6, 7]}], "tensor_float32": false}}');
INSERT INTO "documents" VALUES('fe64443a60028a24770d6d6159cf5c8443c1da8f00a81596a3c53d2f12bff9e2','{"cores": "0,1,2,3", "data": "{\"classes\": 1000, \"layout\": \"folders\", \"synthetic\": false, \"train_images\": 1281167, \"validation_images\": 50000}", "devices": "GPU-nid0005-0,GPU-nid0005-1", "seen": {"cpuset": [0, 1, 2, 3], "framework": "tensorflow", "framework_version": "2.18.1", "gpus": [{"name": "A100", "uuid": "GPU-nid0005-0"}, {"name": "A100", "uuid": "GPU-nid0005-1"}], "precision": "mixed_bfloat16", "ranks": [{"cpuset": [0, 1]}, {"cpuset": [2, 3]}], "tensor_float32": false}}');
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
INSERT INTO "events" VALUES(1,1,1789999999000001,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(2,1,1789999999000002,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-optimized on login1',NULL,NULL);
INSERT INTO "events" VALUES(3,1,1790000060000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(4,1,1790000060000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(5,1,1790000060000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(6,1,1790000060000411,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(7,1,1790000060108817,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(8,1,1790000060117986,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(9,1,1790000060098124,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(10,1,1790000060093517,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(11,1,1790000271651852,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(12,1,1790000275283879,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(13,1,1790000273394117,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(14,1,1790000271081933,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(15,1,1790000277253261,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(16,1,1790000277253398,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(17,1,1790000277253535,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(18,1,1790000277253672,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(19,1,1790000277342950,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(20,1,1790000277361903,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(21,1,1790000277345080,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(22,1,1790000277342109,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(23,1,1790000304784671,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(24,1,1790000305076776,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(25,1,1790000304955730,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(26,1,1790000304983281,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(27,1,1790000307050074,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(28,1,1790000307050211,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(29,1,1790000307050348,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(30,1,1790000307050485,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(31,1,1790000307128073,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(32,1,1790000307143963,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(33,1,1790000307142803,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(34,1,1790000307136422,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(35,1,1790000331630053,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(36,1,1790000331578607,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(37,1,1790000332148040,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(38,1,1790000331662276,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(39,1,1790000334120983,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(40,1,1790000334121120,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(41,1,1790000334121257,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(42,1,1790000334121394,'transition',15,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(43,1,1790000334196232,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(44,1,1790000334203348,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(45,1,1790000334233726,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(46,1,1790000334223198,'transition',15,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(47,1,1790000373546655,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(48,1,1790000373851943,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(49,1,1790000373349670,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(50,1,1790000373420111,'transition',15,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(51,1,1790000375824833,'transition',16,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(52,1,1790000375824970,'transition',17,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(53,1,1790000375825107,'transition',18,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(54,1,1790000375825244,'transition',19,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(55,1,1790000375901862,'transition',16,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(56,1,1790000375924854,'transition',17,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(57,1,1790000375901592,'transition',18,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(58,1,1790000375904057,'transition',19,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(59,1,1790000406700448,'transition',16,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(60,1,1790000407044513,'transition',17,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(61,1,1790000406917558,'transition',18,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(62,1,1790000406634608,'transition',19,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(63,1,1790000409018090,'transition',20,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(64,1,1790000409018227,'transition',21,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(65,1,1790000409018364,'transition',22,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(66,1,1790000409018501,'transition',23,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(67,1,1790000409109740,'transition',20,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(68,1,1790000409092628,'transition',21,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(69,1,1790000409098848,'transition',22,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(70,1,1790000409141640,'transition',23,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(71,1,1790000455262485,'transition',20,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(72,1,1790000454611517,'transition',21,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(73,1,1790000455055906,'transition',22,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(74,1,1790000454885144,'transition',23,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(75,1,1790000457233032,'transition',24,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(76,1,1790000457233169,'transition',25,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(77,1,1790000457233306,'transition',26,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(78,1,1790000457233443,'transition',27,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(79,1,1790000457327100,'transition',24,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(80,1,1790000457350380,'transition',25,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(81,1,1790000457307645,'transition',26,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(82,1,1790000457327996,'transition',27,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(83,1,1790000480297792,'transition',24,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(84,1,1790000480461080,'transition',25,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(85,1,1790000480559586,'transition',26,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(86,1,1790000480376511,'transition',27,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(87,1,1790000482530802,'transition',28,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(88,1,1790000482530939,'transition',29,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(89,1,1790000482531076,'transition',30,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(90,1,1790000482531213,'transition',31,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(91,1,1790000482531350,'transition',32,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(92,1,1790000482531487,'transition',33,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(93,1,1790000482531624,'transition',34,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(94,1,1790000482531761,'transition',35,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(95,1,1790000482531898,'transition',36,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(96,1,1790000482532035,'transition',37,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(97,1,1790000482532172,'transition',38,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(98,1,1790000482532309,'transition',39,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(99,1,1790000482532446,'transition',40,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(100,1,1790000482532583,'transition',41,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(101,1,1790000482532720,'transition',42,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(102,1,1790000482532857,'transition',43,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(103,1,1790000482532994,'transition',44,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(104,1,1790000482533131,'transition',45,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(105,1,1790000482533268,'transition',46,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(106,1,1790000482533405,'transition',47,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(107,1,1790000482533542,'transition',48,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(108,1,1790000482533679,'transition',49,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(109,1,1790000482533816,'transition',50,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(110,1,1790000482533953,'transition',51,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(111,1,1790000482534090,'transition',52,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(112,1,1790000482534227,'transition',53,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(113,1,1790000482534364,'transition',54,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(114,1,1790000482534501,'transition',55,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(115,1,1790000482534638,'transition',56,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(116,1,1790000482534775,'transition',57,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(117,1,1790000482534912,'transition',58,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(118,1,1790000482535049,'transition',59,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(119,1,1790000482535186,'transition',60,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(120,1,1790000482535323,'transition',61,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(121,1,1790000482535460,'transition',62,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(122,1,1790000482535597,'transition',63,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(123,1,1790000482535734,'transition',64,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(124,1,1790000482535871,'transition',65,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(125,1,1790000482536008,'transition',66,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(126,1,1790000482536145,'transition',67,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(127,1,1790000482536282,'transition',68,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(128,1,1790000482536419,'transition',69,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(129,1,1790000482536556,'transition',70,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(130,1,1790000482536693,'transition',71,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(131,1,1790000482536830,'transition',72,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(132,1,1790000482536967,'transition',73,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(133,1,1790000482537104,'transition',74,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(134,1,1790000482537241,'transition',75,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(135,1,1790000482537378,'transition',76,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(136,1,1790000482537515,'transition',77,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(137,1,1790000482537652,'transition',78,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(138,1,1790000482537789,'transition',79,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(139,1,1790000482613670,'transition',28,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(140,1,1790000482639243,'transition',29,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(141,1,1790000482613695,'transition',30,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(142,1,1790000482629516,'transition',31,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(143,1,1790000482567038,'transition',32,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(144,1,1790000482588922,'transition',33,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(145,1,1790000482615429,'transition',34,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(146,1,1790000482605350,'transition',35,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(147,1,1790000482614227,'transition',36,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(148,1,1790000482654351,'transition',37,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(149,1,1790000482598840,'transition',38,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(150,1,1790000482614314,'transition',39,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(151,1,1790000482600895,'transition',40,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(152,1,1790000482592380,'transition',41,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(153,1,1790000482612320,'transition',42,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(154,1,1790000482639288,'transition',43,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(155,1,1790000482583569,'transition',44,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(156,1,1790000482597590,'transition',45,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(157,1,1790000482582202,'transition',46,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(158,1,1790000482611420,'transition',47,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(159,1,1790000482606866,'transition',48,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(160,1,1790000482624232,'transition',49,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(161,1,1790000482544426,'transition',50,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(162,1,1790000482567050,'transition',51,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(163,1,1790000482585110,'transition',52,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(164,1,1790000482592278,'transition',53,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(165,1,1790000482613834,'transition',54,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(166,1,1790000482636179,'transition',55,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(167,1,1790000482597839,'transition',56,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(168,1,1790000482561660,'transition',57,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(169,1,1790000482586996,'transition',58,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(170,1,1790000482591480,'transition',59,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(171,1,1790000482614444,'transition',60,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(172,1,1790000482603882,'transition',61,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(173,1,1790000482609140,'transition',62,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(174,1,1790000482598601,'transition',63,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(175,1,1790000482608465,'transition',64,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(176,1,1790000482584179,'transition',65,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(177,1,1790000482634788,'transition',66,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(178,1,1790000482593912,'transition',67,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(179,1,1790000482637982,'transition',68,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(180,1,1790000482638608,'transition',69,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(181,1,1790000482646775,'transition',70,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(182,1,1790000482639493,'transition',71,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(183,1,1790000482590617,'transition',72,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(184,1,1790000482607867,'transition',73,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(185,1,1790000482597739,'transition',74,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(186,1,1790000482569822,'transition',75,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(187,1,1790000482632012,'transition',76,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(188,1,1790000482612045,'transition',77,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(189,1,1790000482629183,'transition',78,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(190,1,1790000482616776,'transition',79,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(191,1,1790000912288907,'transition',28,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(192,1,1790000916558184,'transition',29,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(193,1,1790000904635085,'transition',30,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(194,1,1790000906472537,'transition',31,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(195,1,1790000904505638,'transition',32,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(196,1,1790000920573024,'transition',33,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(197,1,1790000903789172,'transition',34,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(198,1,1790000907033647,'transition',35,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(199,1,1790000921102502,'transition',36,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(200,1,1790000911618460,'transition',37,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(201,1,1790000911278507,'transition',38,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(202,1,1790000900536048,'transition',39,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(203,1,1790000905393006,'transition',40,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(204,1,1790000913348780,'transition',41,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(205,1,1790000922239884,'transition',42,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(206,1,1790000924055052,'transition',43,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(207,1,1790000914355069,'transition',44,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(208,1,1790000917839944,'transition',45,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(209,1,1790000914304407,'transition',46,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(210,1,1790000922891878,'transition',47,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(211,1,1790000906417885,'transition',48,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(212,1,1790000909598389,'transition',49,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(213,1,1790000918593014,'transition',50,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(214,1,1790000902307104,'transition',51,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(215,1,1790000908434361,'transition',52,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(216,1,1790000905207288,'transition',53,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(217,1,1790000911617510,'transition',54,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(218,1,1790000909744289,'transition',55,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(219,1,1790000910515353,'transition',56,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(220,1,1790000900202187,'transition',57,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(221,1,1790000908144276,'transition',58,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(222,1,1790000924201605,'transition',59,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(223,1,1790000915063934,'transition',60,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(224,1,1790000910954086,'transition',61,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(225,1,1790000902896727,'transition',62,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(226,1,1790000921927980,'transition',63,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(227,1,1790000920535824,'transition',64,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(228,1,1790000916552980,'transition',65,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(229,1,1790000901379772,'transition',66,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(230,1,1790000916412005,'transition',67,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(231,1,1790000917745693,'transition',68,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(232,1,1790000918078473,'transition',69,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(233,1,1790000900718633,'transition',70,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(234,1,1790000901943860,'transition',71,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(235,1,1790000919404858,'transition',72,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(236,1,1790000913306703,'transition',73,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(237,1,1790000923400955,'transition',74,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(238,1,1790000907679469,'transition',75,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(239,1,1790000919379412,'transition',76,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(240,1,1790000904241875,'transition',77,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(241,1,1790000919016991,'transition',78,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(242,1,1790000914867202,'transition',79,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(243,1,1789999999000243,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(244,2,1790086399000244,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(245,2,1790086399000245,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-optimized-short on login1',NULL,NULL);
INSERT INTO "events" VALUES(246,2,1790086460000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(247,2,1790086460000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(248,2,1790086460056354,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(249,2,1790086460038754,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(250,2,1790086658737462,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(251,2,1790086661830236,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(252,2,1790086663851482,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(253,2,1790086663851619,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(254,2,1790086663917353,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(255,2,1790086663903651,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(256,2,1790086691061162,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(257,2,1790086691200397,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(258,2,1790086693218389,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(259,2,1790086693218526,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(260,2,1790086693264891,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(261,2,1790086693278170,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(262,2,1790086717702996,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(263,2,1790086717945092,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(264,2,1790086719966996,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(265,2,1790086719967133,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(266,2,1790086720014830,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(267,2,1790086720035893,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(268,2,1790086758364169,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(269,2,1790086759357622,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(270,2,1790086761376573,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(271,2,1790086761376710,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(272,2,1790086761406153,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(273,2,1790086761411300,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(274,2,1790086791995063,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(275,2,1790086792033218,'transition',9,1,'running','failed','loss is not a number',NULL,NULL);
INSERT INTO "events" VALUES(276,2,1790086794052095,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(277,2,1790086794052232,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(278,2,1790086794088969,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(279,2,1790086794112441,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(280,2,1790086839441989,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(281,2,1790086839491788,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(282,2,1790086841513355,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(283,2,1790086841513492,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(284,2,1790086841550495,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(285,2,1790086841563866,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(286,2,1790086864772380,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(287,2,1790086864747850,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(288,2,1790086866796127,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(289,2,1790086866796264,'transition',15,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(290,2,1790086866796401,'transition',16,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(291,2,1790086866796538,'transition',17,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(292,2,1790086866796675,'transition',18,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(293,2,1790086866796812,'transition',19,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(294,2,1790086866796949,'transition',20,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(295,2,1790086866797086,'transition',21,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(296,2,1790086866797223,'transition',22,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(297,2,1790086866797360,'transition',23,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(298,2,1790086866797497,'transition',24,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(299,2,1790086866797634,'transition',25,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(300,2,1790086866797771,'transition',26,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(301,2,1790086866797908,'transition',27,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(302,2,1790086866798045,'transition',28,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(303,2,1790086866798182,'transition',29,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(304,2,1790086866798319,'transition',30,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(305,2,1790086866798456,'transition',31,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(306,2,1790086866798593,'transition',32,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(307,2,1790086866798730,'transition',33,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(308,2,1790086866798867,'transition',34,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(309,2,1790086866799004,'transition',35,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(310,2,1790086866799141,'transition',36,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(311,2,1790086866799278,'transition',37,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(312,2,1790086866799415,'transition',38,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(313,2,1790086866799552,'transition',39,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(314,2,1790086866799689,'transition',40,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(315,2,1790086866799826,'transition',41,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(316,2,1790086866799963,'transition',42,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(317,2,1790086866800100,'transition',43,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(318,2,1790086866800237,'transition',44,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(319,2,1790086866800374,'transition',45,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(320,2,1790086866800511,'transition',46,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(321,2,1790086866800648,'transition',47,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(322,2,1790086866800785,'transition',48,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(323,2,1790086866800922,'transition',49,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(324,2,1790086866801059,'transition',50,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(325,2,1790086866801196,'transition',51,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(326,2,1790086866801333,'transition',52,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(327,2,1790086866801470,'transition',53,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(328,2,1790086866801607,'transition',54,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(329,2,1790086866801744,'transition',55,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(330,2,1790086866801881,'transition',56,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(331,2,1790086866802018,'transition',57,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(332,2,1790086866802155,'transition',58,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(333,2,1790086866802292,'transition',59,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(334,2,1790086866802429,'transition',60,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(335,2,1790086866802566,'transition',61,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(336,2,1790086866802703,'transition',62,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(337,2,1790086866802840,'transition',63,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(338,2,1790086866852491,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(339,2,1790086866822804,'transition',15,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(340,2,1790086866889580,'transition',16,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(341,2,1790086866874162,'transition',17,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(342,2,1790086866837275,'transition',18,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(343,2,1790086866821686,'transition',19,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(344,2,1790086866878895,'transition',20,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(345,2,1790086866894756,'transition',21,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(346,2,1790086866891814,'transition',22,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(347,2,1790086866896465,'transition',23,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(348,2,1790086866889695,'transition',24,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(349,2,1790086866848871,'transition',25,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(350,2,1790086866840835,'transition',26,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(351,2,1790086866830885,'transition',27,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(352,2,1790086866840509,'transition',28,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(353,2,1790086866820736,'transition',29,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(354,2,1790086866872453,'transition',30,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(355,2,1790086866852356,'transition',31,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(356,2,1790086866884234,'transition',32,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(357,2,1790086866914727,'transition',33,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(358,2,1790086866841533,'transition',34,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(359,2,1790086866828125,'transition',35,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(360,2,1790086866902501,'transition',36,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(361,2,1790086866868161,'transition',37,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(362,2,1790086866872488,'transition',38,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(363,2,1790086866871556,'transition',39,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(364,2,1790086866882123,'transition',40,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(365,2,1790086866871197,'transition',41,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(366,2,1790086866841404,'transition',42,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(367,2,1790086866843602,'transition',43,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(368,2,1790086866890166,'transition',44,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(369,2,1790086866911737,'transition',45,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(370,2,1790086866896738,'transition',46,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(371,2,1790086866867137,'transition',47,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(372,2,1790086866893367,'transition',48,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(373,2,1790086866871570,'transition',49,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(374,2,1790086866919763,'transition',50,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(375,2,1790086866904641,'transition',51,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(376,2,1790086866905342,'transition',52,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(377,2,1790086866913769,'transition',53,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(378,2,1790086866841720,'transition',54,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(379,2,1790086866852206,'transition',55,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(380,2,1790086866897153,'transition',56,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(381,2,1790086866863049,'transition',57,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(382,2,1790086866880567,'transition',58,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(383,2,1790086866899122,'transition',59,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(384,2,1790086866841065,'transition',60,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(385,2,1790086866863088,'transition',61,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(386,2,1790086866875419,'transition',62,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(387,2,1790086866889806,'transition',63,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(388,2,1790087272757364,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(389,2,1790087287382033,'transition',15,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(390,2,1790087288336232,'transition',16,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(391,2,1790087284937053,'transition',17,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(392,2,1790087283476096,'transition',18,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(393,2,1790087280754490,'transition',19,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(394,2,1790087275831164,'transition',20,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(395,2,1790087277930349,'transition',21,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(396,2,1790087279565739,'transition',22,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(397,2,1790087292189930,'transition',23,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(398,2,1790087280283085,'transition',24,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(399,2,1790087274585794,'transition',25,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(400,2,1790087278077389,'transition',26,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(401,2,1790087291610643,'transition',27,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(402,2,1790087281503176,'transition',28,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(403,2,1790087290823648,'transition',29,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(404,2,1790087285302681,'transition',30,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(405,2,1790087290165529,'transition',31,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(406,2,1790087273440956,'transition',32,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(407,2,1790087292444282,'transition',33,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(408,2,1790087291040084,'transition',34,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(409,2,1790087279334371,'transition',35,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(410,2,1790087278912685,'transition',36,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(411,2,1790087289062114,'transition',37,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(412,2,1790087289455413,'transition',38,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(413,2,1790087279841096,'transition',39,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(414,2,1790087274356444,'transition',40,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(415,2,1790087294965113,'transition',41,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(416,2,1790087292474147,'transition',42,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(417,2,1790087280900182,'transition',43,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(418,2,1790087291410655,'transition',44,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(419,2,1790087290518640,'transition',45,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(420,2,1790087282844605,'transition',46,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(421,2,1790087290938035,'transition',47,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(422,2,1790087278802897,'transition',48,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(423,2,1790087278970135,'transition',49,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(424,2,1790087272709505,'transition',50,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(425,2,1790087292990475,'transition',51,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(426,2,1790087282280689,'transition',52,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(427,2,1790087283598614,'transition',53,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(428,2,1790087286498084,'transition',54,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(429,2,1790087272958883,'transition',55,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(430,2,1790087273630617,'transition',56,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(431,2,1790087291925744,'transition',57,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(432,2,1790087281147544,'transition',58,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(433,2,1790087284799011,'transition',59,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(434,2,1790087293852331,'transition',60,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(435,2,1790087281815351,'transition',61,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(436,2,1790087273522972,'transition',62,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(437,2,1790087276194921,'transition',63,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(438,2,1790086399000438,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: drained',NULL,NULL);
INSERT INTO "events" VALUES(439,3,1790172799000439,'campaign_registered',NULL,NULL,NULL,NULL,'registered',NULL,NULL);
INSERT INTO "events" VALUES(440,3,1790172799000440,'session_started',NULL,NULL,NULL,NULL,'launch 1 by coral2-optimized-twice on login1',NULL,NULL);
INSERT INTO "events" VALUES(441,3,1790172860000000,'transition',0,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(442,3,1790172860000137,'transition',1,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(443,3,1790172860000274,'transition',2,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(444,3,1790172860053238,'transition',0,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(445,3,1790172860084308,'transition',1,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(446,3,1790172860046517,'transition',2,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(447,3,1790172904223787,'transition',0,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(448,3,1790172904344626,'transition',1,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(449,3,1790172904766584,'transition',2,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(450,3,1790172906771831,'transition',3,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(451,3,1790172906771968,'transition',4,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(452,3,1790172906772105,'transition',5,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(453,3,1790172906841320,'transition',3,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(454,3,1790172906813653,'transition',4,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(455,3,1790172906816700,'transition',5,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(456,3,1790172929770402,'transition',3,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(457,3,1790172929759115,'transition',4,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(458,3,1790172929982674,'transition',5,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(459,3,1790172931989131,'transition',6,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(460,3,1790172931989268,'transition',7,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(461,3,1790172931989405,'transition',8,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(462,3,1790172932049174,'transition',6,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(463,3,1790172932039552,'transition',7,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(464,3,1790172932041345,'transition',8,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(465,3,1790173334863201,'transition',6,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(466,3,1790173335434650,'transition',7,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(467,3,1790173341161112,'transition',8,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(468,3,1790173343172498,'transition',9,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(469,3,1790173343172635,'transition',10,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(470,3,1790173343172772,'transition',11,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(471,3,1790173343238807,'transition',9,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(472,3,1790173343222551,'transition',10,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(473,3,1790173343216423,'transition',11,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(474,3,1790173387419336,'transition',9,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(475,3,1790173387709045,'transition',10,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(476,3,1790173387354114,'transition',11,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(477,3,1790173389718905,'transition',12,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(478,3,1790173389719042,'transition',13,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(479,3,1790173389719179,'transition',14,1,NULL,'submitted',NULL,NULL,NULL);
INSERT INTO "events" VALUES(480,3,1790173389772205,'transition',12,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(481,3,1790173389772985,'transition',13,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(482,3,1790173389768764,'transition',14,1,'submitted','running',NULL,NULL,NULL);
INSERT INTO "events" VALUES(483,3,1790173410812319,'transition',12,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(484,3,1790173411093164,'transition',13,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(485,3,1790173410963740,'transition',14,1,'running','succeeded',NULL,NULL,NULL);
INSERT INTO "events" VALUES(486,3,1790172799000486,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete',NULL,NULL);
INSERT INTO "events" VALUES(487,1,1795514544502010,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete','session 1','{"ends_sha256": "348f2b601508c8f9381fbab18a6a1fab151e8bc2417454a2d7dc107dba288b2c", "events": [3, "2a7018b60410092157e91358c9c98cc8de4edf8966473b8f85804ebb0c4e6a0e"], "open_blocks": [], "outcome": "complete", "row_parts": ["7d801af9979387ae5b04613828c0fd28b0a930c81e3d1cc0f5ae0cefbbdf4b30", "90b94fb059e08d77a9f05024b79300ebebffb7a02111b758850cd2a23d9824b9"], "rows_sha256": "97166f1a805432b6a3bd489797fbfd6fbea52a595a311c0092a359665c1cc49c", "session": 1}');
INSERT INTO "events" VALUES(488,2,1795514544518982,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: drained','session 1','{"ends_sha256": "75a827dff2597cfe520ffae1a8894d7660d19db884e94a25546e447bbfe0ad90", "events": [3, "dd553dadfe8bda409fe750d212f4b7603579a2396e352bca1ef05ff2df0fe7e5"], "open_blocks": [], "outcome": "drained", "row_parts": ["c224a3b04d803f894a045698fb09b04de01dfea8fbb2195033e14961750a7e6d", "998d0b48a9a82f0d0d45e3e6a2debdfb80cd847322d19e704143e86e26cba605"], "rows_sha256": "72c61544eebd69a7f9ea0f7982dc2015d4bdac9274c5ba4c4551b4afccfab687", "session": 1}');
INSERT INTO "events" VALUES(489,3,1795514544523896,'session_ended',NULL,NULL,NULL,NULL,'session 1 ended: complete','session 1','{"ends_sha256": "8a6fc702da3794c72400d400a644e6d02776f80337aeb506c3e6614d51c7e652", "events": [3, "9162f26b8e861ed2e49090e45425a000861979d0b4480c909ea703a5217312af"], "open_blocks": [], "outcome": "complete", "row_parts": ["0e9d7d8f00bb901f9d18a4d2dba3718db479cbca66ea114ad4431b3b9b059858", "950c09cd6e5b84855323a70292db52682bf97b72b41f1a26b64e30735ee15c4a"], "rows_sha256": "3ea5bfefb2b1ecfee413de2bf28b33b474f69eddefb0a038fe0c0c2809711614", "session": 1}');
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
INSERT INTO "instances" VALUES(1,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(1,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(1,2,'p1b1',2,2019,'done',1);
INSERT INTO "instances" VALUES(1,3,'p1b1',3,2020,'done',1);
INSERT INTO "instances" VALUES(1,4,'p3b1',0,2021,'done',1);
INSERT INTO "instances" VALUES(1,5,'p3b1',1,2022,'done',1);
INSERT INTO "instances" VALUES(1,6,'p3b1',2,2023,'done',1);
INSERT INTO "instances" VALUES(1,7,'p3b1',3,2024,'done',1);
INSERT INTO "instances" VALUES(1,8,'alexnet',0,2025,'done',1);
INSERT INTO "instances" VALUES(1,9,'alexnet',1,2026,'done',1);
INSERT INTO "instances" VALUES(1,10,'alexnet',2,2027,'done',1);
INSERT INTO "instances" VALUES(1,11,'alexnet',3,2028,'done',1);
INSERT INTO "instances" VALUES(1,12,'googlenet',0,2029,'done',1);
INSERT INTO "instances" VALUES(1,13,'googlenet',1,2030,'done',1);
INSERT INTO "instances" VALUES(1,14,'googlenet',2,2031,'done',1);
INSERT INTO "instances" VALUES(1,15,'googlenet',3,2032,'done',1);
INSERT INTO "instances" VALUES(1,16,'overfeat',0,2033,'done',1);
INSERT INTO "instances" VALUES(1,17,'overfeat',1,2034,'done',1);
INSERT INTO "instances" VALUES(1,18,'overfeat',2,2035,'done',1);
INSERT INTO "instances" VALUES(1,19,'overfeat',3,2036,'done',1);
INSERT INTO "instances" VALUES(1,20,'vgg',0,2037,'done',1);
INSERT INTO "instances" VALUES(1,21,'vgg',1,2038,'done',1);
INSERT INTO "instances" VALUES(1,22,'vgg',2,2039,'done',1);
INSERT INTO "instances" VALUES(1,23,'vgg',3,2040,'done',1);
INSERT INTO "instances" VALUES(1,24,'lstm',0,2041,'done',1);
INSERT INTO "instances" VALUES(1,25,'lstm',1,2042,'done',1);
INSERT INTO "instances" VALUES(1,26,'lstm',2,2043,'done',1);
INSERT INTO "instances" VALUES(1,27,'lstm',3,2044,'done',1);
INSERT INTO "instances" VALUES(1,28,'resnet50',0,2045,'done',1);
INSERT INTO "instances" VALUES(1,29,'resnet50',1,2046,'done',1);
INSERT INTO "instances" VALUES(1,30,'resnet50',2,2047,'done',1);
INSERT INTO "instances" VALUES(1,31,'resnet50',3,2048,'done',1);
INSERT INTO "instances" VALUES(1,32,'resnet50',4,2049,'done',1);
INSERT INTO "instances" VALUES(1,33,'resnet50',5,2050,'done',1);
INSERT INTO "instances" VALUES(1,34,'resnet50',6,2051,'done',1);
INSERT INTO "instances" VALUES(1,35,'resnet50',7,2052,'done',1);
INSERT INTO "instances" VALUES(1,36,'resnet50',8,2053,'done',1);
INSERT INTO "instances" VALUES(1,37,'resnet50',9,2054,'done',1);
INSERT INTO "instances" VALUES(1,38,'resnet50',10,2055,'done',1);
INSERT INTO "instances" VALUES(1,39,'resnet50',11,2056,'done',1);
INSERT INTO "instances" VALUES(1,40,'resnet50',12,2057,'done',1);
INSERT INTO "instances" VALUES(1,41,'resnet50',13,2058,'done',1);
INSERT INTO "instances" VALUES(1,42,'resnet50',14,2059,'done',1);
INSERT INTO "instances" VALUES(1,43,'resnet50',15,2060,'done',1);
INSERT INTO "instances" VALUES(1,44,'resnet50',16,2061,'done',1);
INSERT INTO "instances" VALUES(1,45,'resnet50',17,2062,'done',1);
INSERT INTO "instances" VALUES(1,46,'resnet50',18,2063,'done',1);
INSERT INTO "instances" VALUES(1,47,'resnet50',19,2064,'done',1);
INSERT INTO "instances" VALUES(1,48,'resnet50',20,2065,'done',1);
INSERT INTO "instances" VALUES(1,49,'resnet50',21,2066,'done',1);
INSERT INTO "instances" VALUES(1,50,'resnet50',22,2067,'done',1);
INSERT INTO "instances" VALUES(1,51,'resnet50',23,2068,'done',1);
INSERT INTO "instances" VALUES(1,52,'resnet50',24,2069,'done',1);
INSERT INTO "instances" VALUES(1,53,'resnet50',25,2070,'done',1);
INSERT INTO "instances" VALUES(1,54,'resnet50',26,2071,'done',1);
INSERT INTO "instances" VALUES(1,55,'resnet50',27,2072,'done',1);
INSERT INTO "instances" VALUES(1,56,'resnet50',28,2073,'done',1);
INSERT INTO "instances" VALUES(1,57,'resnet50',29,2074,'done',1);
INSERT INTO "instances" VALUES(1,58,'resnet50',30,2075,'done',1);
INSERT INTO "instances" VALUES(1,59,'resnet50',31,2076,'done',1);
INSERT INTO "instances" VALUES(1,60,'resnet50',32,2077,'done',1);
INSERT INTO "instances" VALUES(1,61,'resnet50',33,2078,'done',1);
INSERT INTO "instances" VALUES(1,62,'resnet50',34,2079,'done',1);
INSERT INTO "instances" VALUES(1,63,'resnet50',35,2080,'done',1);
INSERT INTO "instances" VALUES(1,64,'resnet50',36,2081,'done',1);
INSERT INTO "instances" VALUES(1,65,'resnet50',37,2082,'done',1);
INSERT INTO "instances" VALUES(1,66,'resnet50',38,2083,'done',1);
INSERT INTO "instances" VALUES(1,67,'resnet50',39,2084,'done',1);
INSERT INTO "instances" VALUES(1,68,'resnet50',40,2085,'done',1);
INSERT INTO "instances" VALUES(1,69,'resnet50',41,2086,'done',1);
INSERT INTO "instances" VALUES(1,70,'resnet50',42,2087,'done',1);
INSERT INTO "instances" VALUES(1,71,'resnet50',43,2088,'done',1);
INSERT INTO "instances" VALUES(1,72,'resnet50',44,2089,'done',1);
INSERT INTO "instances" VALUES(1,73,'resnet50',45,2090,'done',1);
INSERT INTO "instances" VALUES(1,74,'resnet50',46,2091,'done',1);
INSERT INTO "instances" VALUES(1,75,'resnet50',47,2092,'done',1);
INSERT INTO "instances" VALUES(1,76,'resnet50',48,2093,'done',1);
INSERT INTO "instances" VALUES(1,77,'resnet50',49,2094,'done',1);
INSERT INTO "instances" VALUES(1,78,'resnet50',50,2095,'done',1);
INSERT INTO "instances" VALUES(1,79,'resnet50',51,2096,'done',1);
INSERT INTO "instances" VALUES(2,0,'p1b1',0,2017,'done',1);
INSERT INTO "instances" VALUES(2,1,'p1b1',1,2018,'done',1);
INSERT INTO "instances" VALUES(2,2,'p3b1',0,2019,'done',1);
INSERT INTO "instances" VALUES(2,3,'p3b1',1,2020,'done',1);
INSERT INTO "instances" VALUES(2,4,'alexnet',0,2021,'done',1);
INSERT INTO "instances" VALUES(2,5,'alexnet',1,2022,'done',1);
INSERT INTO "instances" VALUES(2,6,'googlenet',0,2023,'done',1);
INSERT INTO "instances" VALUES(2,7,'googlenet',1,2024,'done',1);
INSERT INTO "instances" VALUES(2,8,'overfeat',0,2025,'done',1);
INSERT INTO "instances" VALUES(2,9,'overfeat',1,2026,'planned',NULL);
INSERT INTO "instances" VALUES(2,10,'vgg',0,2027,'done',1);
INSERT INTO "instances" VALUES(2,11,'vgg',1,2028,'done',1);
INSERT INTO "instances" VALUES(2,12,'lstm',0,2029,'done',1);
INSERT INTO "instances" VALUES(2,13,'lstm',1,2030,'done',1);
INSERT INTO "instances" VALUES(2,14,'resnet50',0,2031,'done',1);
INSERT INTO "instances" VALUES(2,15,'resnet50',1,2032,'done',1);
INSERT INTO "instances" VALUES(2,16,'resnet50',2,2033,'done',1);
INSERT INTO "instances" VALUES(2,17,'resnet50',3,2034,'done',1);
INSERT INTO "instances" VALUES(2,18,'resnet50',4,2035,'done',1);
INSERT INTO "instances" VALUES(2,19,'resnet50',5,2036,'done',1);
INSERT INTO "instances" VALUES(2,20,'resnet50',6,2037,'done',1);
INSERT INTO "instances" VALUES(2,21,'resnet50',7,2038,'done',1);
INSERT INTO "instances" VALUES(2,22,'resnet50',8,2039,'done',1);
INSERT INTO "instances" VALUES(2,23,'resnet50',9,2040,'done',1);
INSERT INTO "instances" VALUES(2,24,'resnet50',10,2041,'done',1);
INSERT INTO "instances" VALUES(2,25,'resnet50',11,2042,'done',1);
INSERT INTO "instances" VALUES(2,26,'resnet50',12,2043,'done',1);
INSERT INTO "instances" VALUES(2,27,'resnet50',13,2044,'done',1);
INSERT INTO "instances" VALUES(2,28,'resnet50',14,2045,'done',1);
INSERT INTO "instances" VALUES(2,29,'resnet50',15,2046,'done',1);
INSERT INTO "instances" VALUES(2,30,'resnet50',16,2047,'done',1);
INSERT INTO "instances" VALUES(2,31,'resnet50',17,2048,'done',1);
INSERT INTO "instances" VALUES(2,32,'resnet50',18,2049,'done',1);
INSERT INTO "instances" VALUES(2,33,'resnet50',19,2050,'done',1);
INSERT INTO "instances" VALUES(2,34,'resnet50',20,2051,'done',1);
INSERT INTO "instances" VALUES(2,35,'resnet50',21,2052,'done',1);
INSERT INTO "instances" VALUES(2,36,'resnet50',22,2053,'done',1);
INSERT INTO "instances" VALUES(2,37,'resnet50',23,2054,'done',1);
INSERT INTO "instances" VALUES(2,38,'resnet50',24,2055,'done',1);
INSERT INTO "instances" VALUES(2,39,'resnet50',25,2056,'done',1);
INSERT INTO "instances" VALUES(2,40,'resnet50',26,2057,'done',1);
INSERT INTO "instances" VALUES(2,41,'resnet50',27,2058,'done',1);
INSERT INTO "instances" VALUES(2,42,'resnet50',28,2059,'done',1);
INSERT INTO "instances" VALUES(2,43,'resnet50',29,2060,'done',1);
INSERT INTO "instances" VALUES(2,44,'resnet50',30,2061,'done',1);
INSERT INTO "instances" VALUES(2,45,'resnet50',31,2062,'done',1);
INSERT INTO "instances" VALUES(2,46,'resnet50',32,2063,'done',1);
INSERT INTO "instances" VALUES(2,47,'resnet50',33,2064,'done',1);
INSERT INTO "instances" VALUES(2,48,'resnet50',34,2065,'done',1);
INSERT INTO "instances" VALUES(2,49,'resnet50',35,2066,'done',1);
INSERT INTO "instances" VALUES(2,50,'resnet50',36,2067,'done',1);
INSERT INTO "instances" VALUES(2,51,'resnet50',37,2068,'done',1);
INSERT INTO "instances" VALUES(2,52,'resnet50',38,2069,'done',1);
INSERT INTO "instances" VALUES(2,53,'resnet50',39,2070,'done',1);
INSERT INTO "instances" VALUES(2,54,'resnet50',40,2071,'done',1);
INSERT INTO "instances" VALUES(2,55,'resnet50',41,2072,'done',1);
INSERT INTO "instances" VALUES(2,56,'resnet50',42,2073,'done',1);
INSERT INTO "instances" VALUES(2,57,'resnet50',43,2074,'done',1);
INSERT INTO "instances" VALUES(2,58,'resnet50',44,2075,'done',1);
INSERT INTO "instances" VALUES(2,59,'resnet50',45,2076,'done',1);
INSERT INTO "instances" VALUES(2,60,'resnet50',46,2077,'done',1);
INSERT INTO "instances" VALUES(2,61,'resnet50',47,2078,'done',1);
INSERT INTO "instances" VALUES(2,62,'resnet50',48,2079,'done',1);
INSERT INTO "instances" VALUES(2,63,'resnet50',49,2080,'done',1);
INSERT INTO "instances" VALUES(3,0,'vgg',0,2017,'done',1);
INSERT INTO "instances" VALUES(3,1,'vgg',1,2018,'done',1);
INSERT INTO "instances" VALUES(3,2,'vgg',2,2019,'done',1);
INSERT INTO "instances" VALUES(3,3,'lstm',0,2020,'done',1);
INSERT INTO "instances" VALUES(3,4,'lstm',1,2021,'done',1);
INSERT INTO "instances" VALUES(3,5,'lstm',2,2022,'done',1);
INSERT INTO "instances" VALUES(3,6,'resnet50',0,2023,'done',1);
INSERT INTO "instances" VALUES(3,7,'resnet50',1,2024,'done',1);
INSERT INTO "instances" VALUES(3,8,'resnet50',2,2025,'done',1);
INSERT INTO "instances" VALUES(3,9,'vgg-again',0,2026,'done',1);
INSERT INTO "instances" VALUES(3,10,'vgg-again',1,2027,'done',1);
INSERT INTO "instances" VALUES(3,11,'vgg-again',2,2028,'done',1);
INSERT INTO "instances" VALUES(3,12,'behave',0,2029,'done',1);
INSERT INTO "instances" VALUES(3,13,'behave',1,2030,'done',1);
INSERT INTO "instances" VALUES(3,14,'behave',2,2031,'done',1);
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
INSERT INTO "metrics" VALUES(1,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,0,1,'loss',0.69426,'');
INSERT INTO "metrics" VALUES(1,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,1,1,'loss',0.552186,'');
INSERT INTO "metrics" VALUES(1,2,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,2,1,'loss',0.34918,'');
INSERT INTO "metrics" VALUES(1,3,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(1,3,1,'loss',0.527771,'');
INSERT INTO "metrics" VALUES(1,4,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,4,1,'loss',0.235277,'');
INSERT INTO "metrics" VALUES(1,5,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,5,1,'loss',0.137606,'');
INSERT INTO "metrics" VALUES(1,6,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,6,1,'loss',0.341095,'');
INSERT INTO "metrics" VALUES(1,7,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(1,7,1,'loss',0.148003,'');
INSERT INTO "metrics" VALUES(1,8,1,'loss',0.13512,'');
INSERT INTO "metrics" VALUES(1,9,1,'loss',0.170926,'');
INSERT INTO "metrics" VALUES(1,10,1,'loss',0.213263,'');
INSERT INTO "metrics" VALUES(1,11,1,'loss',0.182498,'');
INSERT INTO "metrics" VALUES(1,12,1,'loss',0.593409,'');
INSERT INTO "metrics" VALUES(1,13,1,'loss',0.715164,'');
INSERT INTO "metrics" VALUES(1,14,1,'loss',0.781339,'');
INSERT INTO "metrics" VALUES(1,15,1,'loss',0.200345,'');
INSERT INTO "metrics" VALUES(1,16,1,'loss',0.754647,'');
INSERT INTO "metrics" VALUES(1,17,1,'loss',0.305349,'');
INSERT INTO "metrics" VALUES(1,18,1,'loss',0.57964,'');
INSERT INTO "metrics" VALUES(1,19,1,'loss',0.468684,'');
INSERT INTO "metrics" VALUES(1,20,1,'loss',0.65426,'');
INSERT INTO "metrics" VALUES(1,21,1,'loss',0.798765,'');
INSERT INTO "metrics" VALUES(1,22,1,'loss',0.17044,'');
INSERT INTO "metrics" VALUES(1,23,1,'loss',0.581091,'');
INSERT INTO "metrics" VALUES(1,24,1,'loss',0.759956,'');
INSERT INTO "metrics" VALUES(1,25,1,'loss',0.729205,'');
INSERT INTO "metrics" VALUES(1,26,1,'loss',0.449877,'');
INSERT INTO "metrics" VALUES(1,27,1,'loss',0.421981,'');
INSERT INTO "metrics" VALUES(1,28,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,28,1,'loss',0.302413,'');
INSERT INTO "metrics" VALUES(1,29,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,29,1,'loss',0.612033,'');
INSERT INTO "metrics" VALUES(1,30,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,30,1,'loss',0.218843,'');
INSERT INTO "metrics" VALUES(1,31,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,31,1,'loss',0.778705,'');
INSERT INTO "metrics" VALUES(1,32,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,32,1,'loss',0.689612,'');
INSERT INTO "metrics" VALUES(1,33,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,33,1,'loss',0.479773,'');
INSERT INTO "metrics" VALUES(1,34,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,34,1,'loss',0.575866,'');
INSERT INTO "metrics" VALUES(1,35,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,35,1,'loss',0.483064,'');
INSERT INTO "metrics" VALUES(1,36,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,36,1,'loss',0.640366,'');
INSERT INTO "metrics" VALUES(1,37,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,37,1,'loss',0.432043,'');
INSERT INTO "metrics" VALUES(1,38,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,38,1,'loss',0.477064,'');
INSERT INTO "metrics" VALUES(1,39,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,39,1,'loss',0.432864,'');
INSERT INTO "metrics" VALUES(1,40,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,40,1,'loss',0.357616,'');
INSERT INTO "metrics" VALUES(1,41,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,41,1,'loss',0.802552,'');
INSERT INTO "metrics" VALUES(1,42,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,42,1,'loss',0.452542,'');
INSERT INTO "metrics" VALUES(1,43,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,43,1,'loss',0.799892,'');
INSERT INTO "metrics" VALUES(1,44,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,44,1,'loss',0.518067,'');
INSERT INTO "metrics" VALUES(1,45,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,45,1,'loss',0.719486,'');
INSERT INTO "metrics" VALUES(1,46,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,46,1,'loss',0.58194,'');
INSERT INTO "metrics" VALUES(1,47,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,47,1,'loss',0.576872,'');
INSERT INTO "metrics" VALUES(1,48,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,48,1,'loss',0.220554,'');
INSERT INTO "metrics" VALUES(1,49,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,49,1,'loss',0.140644,'');
INSERT INTO "metrics" VALUES(1,50,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,50,1,'loss',0.8347,'');
INSERT INTO "metrics" VALUES(1,51,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,51,1,'loss',0.188537,'');
INSERT INTO "metrics" VALUES(1,52,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,52,1,'loss',0.887044,'');
INSERT INTO "metrics" VALUES(1,53,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,53,1,'loss',0.826125,'');
INSERT INTO "metrics" VALUES(1,54,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,54,1,'loss',0.129587,'');
INSERT INTO "metrics" VALUES(1,55,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,55,1,'loss',0.394248,'');
INSERT INTO "metrics" VALUES(1,56,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,56,1,'loss',0.273987,'');
INSERT INTO "metrics" VALUES(1,57,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,57,1,'loss',0.377671,'');
INSERT INTO "metrics" VALUES(1,58,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,58,1,'loss',0.285736,'');
INSERT INTO "metrics" VALUES(1,59,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,59,1,'loss',0.896093,'');
INSERT INTO "metrics" VALUES(1,60,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,60,1,'loss',0.423388,'');
INSERT INTO "metrics" VALUES(1,61,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,61,1,'loss',0.540621,'');
INSERT INTO "metrics" VALUES(1,62,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,62,1,'loss',0.644697,'');
INSERT INTO "metrics" VALUES(1,63,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,63,1,'loss',0.472233,'');
INSERT INTO "metrics" VALUES(1,64,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,64,1,'loss',0.226378,'');
INSERT INTO "metrics" VALUES(1,65,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,65,1,'loss',0.55395,'');
INSERT INTO "metrics" VALUES(1,66,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,66,1,'loss',0.437742,'');
INSERT INTO "metrics" VALUES(1,67,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,67,1,'loss',0.200251,'');
INSERT INTO "metrics" VALUES(1,68,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,68,1,'loss',0.80082,'');
INSERT INTO "metrics" VALUES(1,69,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,69,1,'loss',0.737001,'');
INSERT INTO "metrics" VALUES(1,70,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,70,1,'loss',0.897687,'');
INSERT INTO "metrics" VALUES(1,71,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,71,1,'loss',0.741439,'');
INSERT INTO "metrics" VALUES(1,72,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,72,1,'loss',0.878355,'');
INSERT INTO "metrics" VALUES(1,73,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,73,1,'loss',0.593098,'');
INSERT INTO "metrics" VALUES(1,74,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,74,1,'loss',0.781966,'');
INSERT INTO "metrics" VALUES(1,75,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,75,1,'loss',0.853519,'');
INSERT INTO "metrics" VALUES(1,76,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,76,1,'loss',0.139158,'');
INSERT INTO "metrics" VALUES(1,77,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,77,1,'loss',0.784589,'');
INSERT INTO "metrics" VALUES(1,78,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,78,1,'loss',0.735848,'');
INSERT INTO "metrics" VALUES(1,79,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(1,79,1,'loss',0.756553,'');
INSERT INTO "metrics" VALUES(2,0,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(2,0,1,'loss',0.251559,'');
INSERT INTO "metrics" VALUES(2,1,1,'epochs_run',100.0,'');
INSERT INTO "metrics" VALUES(2,1,1,'loss',0.558118,'');
INSERT INTO "metrics" VALUES(2,2,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(2,2,1,'loss',0.355354,'');
INSERT INTO "metrics" VALUES(2,3,1,'epochs_run',10.0,'');
INSERT INTO "metrics" VALUES(2,3,1,'loss',0.444481,'');
INSERT INTO "metrics" VALUES(2,4,1,'loss',0.516874,'');
INSERT INTO "metrics" VALUES(2,5,1,'loss',0.710464,'');
INSERT INTO "metrics" VALUES(2,6,1,'loss',0.260932,'');
INSERT INTO "metrics" VALUES(2,7,1,'loss',0.349716,'');
INSERT INTO "metrics" VALUES(2,8,1,'loss',0.675182,'');
INSERT INTO "metrics" VALUES(2,10,1,'loss',0.162762,'');
INSERT INTO "metrics" VALUES(2,11,1,'loss',0.268393,'');
INSERT INTO "metrics" VALUES(2,12,1,'loss',0.788114,'');
INSERT INTO "metrics" VALUES(2,13,1,'loss',0.89738,'');
INSERT INTO "metrics" VALUES(2,14,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,14,1,'loss',0.672761,'');
INSERT INTO "metrics" VALUES(2,15,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,15,1,'loss',0.809858,'');
INSERT INTO "metrics" VALUES(2,16,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,16,1,'loss',0.167474,'');
INSERT INTO "metrics" VALUES(2,17,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,17,1,'loss',0.687439,'');
INSERT INTO "metrics" VALUES(2,18,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,18,1,'loss',0.585057,'');
INSERT INTO "metrics" VALUES(2,19,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,19,1,'loss',0.395654,'');
INSERT INTO "metrics" VALUES(2,20,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,20,1,'loss',0.647473,'');
INSERT INTO "metrics" VALUES(2,21,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,21,1,'loss',0.602197,'');
INSERT INTO "metrics" VALUES(2,22,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,22,1,'loss',0.199046,'');
INSERT INTO "metrics" VALUES(2,23,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,23,1,'loss',0.657435,'');
INSERT INTO "metrics" VALUES(2,24,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,24,1,'loss',0.459935,'');
INSERT INTO "metrics" VALUES(2,25,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,25,1,'loss',0.542743,'');
INSERT INTO "metrics" VALUES(2,26,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,26,1,'loss',0.663331,'');
INSERT INTO "metrics" VALUES(2,27,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,27,1,'loss',0.714735,'');
INSERT INTO "metrics" VALUES(2,28,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,28,1,'loss',0.871073,'');
INSERT INTO "metrics" VALUES(2,29,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,29,1,'loss',0.643247,'');
INSERT INTO "metrics" VALUES(2,30,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,30,1,'loss',0.82743,'');
INSERT INTO "metrics" VALUES(2,31,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,31,1,'loss',0.774338,'');
INSERT INTO "metrics" VALUES(2,32,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,32,1,'loss',0.263534,'');
INSERT INTO "metrics" VALUES(2,33,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,33,1,'loss',0.216944,'');
INSERT INTO "metrics" VALUES(2,34,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,34,1,'loss',0.721131,'');
INSERT INTO "metrics" VALUES(2,35,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,35,1,'loss',0.625113,'');
INSERT INTO "metrics" VALUES(2,36,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,36,1,'loss',0.841914,'');
INSERT INTO "metrics" VALUES(2,37,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,37,1,'loss',0.800347,'');
INSERT INTO "metrics" VALUES(2,38,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,38,1,'loss',0.263417,'');
INSERT INTO "metrics" VALUES(2,39,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,39,1,'loss',0.845195,'');
INSERT INTO "metrics" VALUES(2,40,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,40,1,'loss',0.1593,'');
INSERT INTO "metrics" VALUES(2,41,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,41,1,'loss',0.594429,'');
INSERT INTO "metrics" VALUES(2,42,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,42,1,'loss',0.435208,'');
INSERT INTO "metrics" VALUES(2,43,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,43,1,'loss',0.838695,'');
INSERT INTO "metrics" VALUES(2,44,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,44,1,'loss',0.549052,'');
INSERT INTO "metrics" VALUES(2,45,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,45,1,'loss',0.649001,'');
INSERT INTO "metrics" VALUES(2,46,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,46,1,'loss',0.851546,'');
INSERT INTO "metrics" VALUES(2,47,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,47,1,'loss',0.646668,'');
INSERT INTO "metrics" VALUES(2,48,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,48,1,'loss',0.797208,'');
INSERT INTO "metrics" VALUES(2,49,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,49,1,'loss',0.315236,'');
INSERT INTO "metrics" VALUES(2,50,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,50,1,'loss',0.858938,'');
INSERT INTO "metrics" VALUES(2,51,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,51,1,'loss',0.408398,'');
INSERT INTO "metrics" VALUES(2,52,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,52,1,'loss',0.729568,'');
INSERT INTO "metrics" VALUES(2,53,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,53,1,'loss',0.743595,'');
INSERT INTO "metrics" VALUES(2,54,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,54,1,'loss',0.566353,'');
INSERT INTO "metrics" VALUES(2,55,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,55,1,'loss',0.36105,'');
INSERT INTO "metrics" VALUES(2,56,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,56,1,'loss',0.332111,'');
INSERT INTO "metrics" VALUES(2,57,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,57,1,'loss',0.51704,'');
INSERT INTO "metrics" VALUES(2,58,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,58,1,'loss',0.548273,'');
INSERT INTO "metrics" VALUES(2,59,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,59,1,'loss',0.347659,'');
INSERT INTO "metrics" VALUES(2,60,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,60,1,'loss',0.822714,'');
INSERT INTO "metrics" VALUES(2,61,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,61,1,'loss',0.370893,'');
INSERT INTO "metrics" VALUES(2,62,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,62,1,'loss',0.32951,'');
INSERT INTO "metrics" VALUES(2,63,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(2,63,1,'loss',0.502865,'');
INSERT INTO "metrics" VALUES(3,0,1,'loss',0.603077,'');
INSERT INTO "metrics" VALUES(3,1,1,'loss',0.30066,'');
INSERT INTO "metrics" VALUES(3,2,1,'loss',0.621693,'');
INSERT INTO "metrics" VALUES(3,3,1,'loss',0.883608,'');
INSERT INTO "metrics" VALUES(3,4,1,'loss',0.628676,'');
INSERT INTO "metrics" VALUES(3,5,1,'loss',0.41302,'');
INSERT INTO "metrics" VALUES(3,6,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(3,6,1,'loss',0.342945,'');
INSERT INTO "metrics" VALUES(3,7,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(3,7,1,'loss',0.413109,'');
INSERT INTO "metrics" VALUES(3,8,1,'epochs_run',90.0,'');
INSERT INTO "metrics" VALUES(3,8,1,'loss',0.373654,'');
INSERT INTO "metrics" VALUES(3,9,1,'loss',0.226571,'');
INSERT INTO "metrics" VALUES(3,10,1,'loss',0.152513,'');
INSERT INTO "metrics" VALUES(3,11,1,'loss',0.15827,'');
INSERT INTO "metrics" VALUES(3,12,1,'loss',0.350959,'');
INSERT INTO "metrics" VALUES(3,13,1,'loss',0.894845,'');
INSERT INTO "metrics" VALUES(3,14,1,'loss',0.399039,'');
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
INSERT INTO "sessions" VALUES(1,1,'launch','login1',4711,'0.1.0',128,1790000059000000,1790000927220538,'complete');
INSERT INTO "sessions" VALUES(2,1,'launch','login1',4711,'0.1.0',128,1790086459000000,1790087297962231,'drained');
INSERT INTO "sessions" VALUES(3,1,'launch','login1',4711,'0.1.0',128,1790172859000000,1790173414099619,'complete');
CREATE INDEX ix_instances_campaign_state_benchmark ON instances (campaign_id, state, benchmark);
CREATE INDEX ix_events_noted ON events (campaign_id, event_id) WHERE kind <> 'transition';
CREATE INDEX ix_events_superseded ON events (campaign_id, instance_id) WHERE kind = 'instance_superseded';
CREATE INDEX ix_events_campaign_instance ON events (campaign_id, instance_id);
CREATE INDEX ix_events_campaign_kind ON events (campaign_id, kind) WHERE kind <> 'transition';
CREATE INDEX ix_attempts_state_campaign ON attempts (state, campaign_id);
CREATE INDEX ix_attempts_campaign_reason ON attempts (campaign_id, failure_reason) WHERE failure_reason IS NOT NULL;
CREATE INDEX ix_attempts_judged ON attempts (campaign_id, observation_sha256, session_number, node, state, fom_seconds, accuracy, run_start_us, run_stop_us, timed_window_start_us, timed_window_stop_us, submitted_us, process_start_us, process_stop_us, received_us, clock_offset_max_us, cpu_seconds, run_start_arrived_us, timed_window_start_arrived_us, timed_window_stop_arrived_us, run_stop_arrived_us, run_start_cpu_seconds, timed_window_stop_cpu_seconds, run_stop_cpu_seconds, clock_offset_min_us) WHERE received_us IS NOT NULL;
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
